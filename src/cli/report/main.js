// Puts the page together.

const FIRST_COLUMNS = ["kinetic_J", "potential_J", "work_actuators_J", "work_dissipative_J", "work_impacts_J", "work_captured_J", "energy_residual_J"];
const FIRST_GAPS = 2;

const byId = (id) => document.getElementById(id);

// Names of folders without what all have in common.
function shortNames(names) {
  const parts = names.map((name) => name.split("/"));
  let common = 0;
  while (parts.every((part) => part.length > common + 1 && part[common] === parts[0][common])) common += 1;
  return parts.map((part) => part.slice(common).join("/"));
}

// Runs that agree lie over each other: dashes let the earlier ones be seen.
const runStyle = (i) => ({ colour: curveStyle(i).colour, dash: DASHES[i % DASHES.length] });

function eventNotes(runs) {
  const [first, ...others] = runs;
  const notes = others.map((run) => {
    if (run.first_difference === null) return `${run.name}: the same ${run.event_count} events as ${first.name}.`;
    return `${run.name}: differs from ${first.name} first in event ${run.first_difference + 1} `
      + `(${run.event_count} events, ${first.event_count} there).`;
  });
  for (const run of runs) {
    if (run.event_count > run.events.length) notes.push(`${run.name}: the first ${run.events.length} of ${run.event_count} events are shown.`);
  }
  return notes;
}

// Whether a column is another one in some run, beyond rounding.
function columnDiffers(stores, name) {
  const [first, ...others] = stores.map((store) => (store.has(name) ? store.values(name) : null));
  const size = first ? first.reduce((most, x) => Math.max(most, Math.abs(x)), 0) : 0;
  return others.some((values) => !first || !values || values.length !== first.length
    || values.some((x, i) => Math.abs(x - first[i]) > 1e-6 * size));
}

function run(data) {
  const names = shortNames(data.runs.map(({ name }) => name));
  const runs = data.runs.map((entry, i) => ({ ...entry, name: names[i] }));
  const folders = data.runs.map(({ name }) => name);
  byId("title").textContent = document.title;
  const legend = () => byId("runs").replaceChildren(...names.map((name, i) => element("li", {}, swatch(runStyle(i)), name,
    folders[i] === name ? "" : element("span", { class: "muted" }, folders[i]))));
  legend();

  byId("scenario-note").textContent = data.scenario.length ? ""
    : runs.length === 1 ? "There is one run." : "Nothing: the scenarios are the same.";
  if (data.scenario.length) valueTable(byId("scenario"), names, data.scenario);
  const rows = valueTable(byId("summary"), names, data.summary);
  const hideSame = () =>
    rows.forEach((row) => { row.hidden = byId("only-differences").checked && row.className === "same"; });
  byId("only-differences").addEventListener("change", hideSame);
  byId("only-differences").checked = runs.length > 1;
  hideSame();
  const differing = data.summary.filter(({ differs }) => differs).length;
  byId("summary-note").textContent = runs.length === 1 ? "" : `${differing} of ${data.summary.length} values differ by more than rounding; `
    + "what the machine took and hashes are left out.";

  const stores = runs.map(({ series }) => new SeriesStore(series));
  const columns = [...new Set(stores.flatMap((store) => store.names()))];
  const starts = stores.map(({ times }) => times[0] ?? 0);
  const ends = stores.map(({ times }) => times[times.length - 1] ?? 0);
  const shown = [Math.min(...starts), Math.max(...ends)];
  if (shown[1] <= shown[0]) shown[1] = shown[0] + 1;
  let time = shown[0];
  let plots = [];
  const pick = (to) => {
    time = to;
    plots.forEach((plot) => plot.cursor(time, true));
  };
  const draw = () => {
    plots.forEach((plot) => plot.draw(shown));
    pick(time);
  };
  // One plot a column, one curve a run.
  const choose = (chosen) => {
    byId("plots").replaceChildren();
    plots = chosen.map((name) => {
      const holders = runs.map((_, i) => i).filter((i) => stores[i].has(name));
      const unit = stores[holders[0]].unit(name);
      const balance = name === "energy_residual_J";
      const curves = holders.map((i) => ({
        name: names[i],
        times: stores[i].times,
        values: balance ? stores[i].change(name) : stores[i].values(name),
        get style() { return runStyle(i); },
      }));
      const title = balance ? "Energy less all work, change since the start" : name.replace(/_(J|m|N)$/, "").replace(/_/g, " ");
      return new Plot(byId("plots"), { title, unit, zero: !name.startsWith("q_"), leastSpan: balance ? 1e-15 : 1e-6, curves }, pick);
    });
    draw();
  };
  const gaps = columns.filter((name) => name.startsWith("gap_")).slice(0, FIRST_GAPS);
  const usual = columns.filter((name) => FIRST_COLUMNS.includes(name) || gaps.includes(name));
  const other = usual.filter((name) => columnDiffers(stores, name));
  const chosen = other.length ? other : usual;
  makeChooser(byId("chooser"), columns, chosen, choose);

  byId("event-notes").append(...eventNotes(runs).map((note) => element("li", {}, note)));
  const first = eventTable(byId("events"), runs);
  if (first) byId("events").scrollTop = Math.max(0, first.offsetTop - 100);

  choose(chosen);
  theme.watch(() => {
    legend();
    draw();
  });
  new ResizeObserver(draw).observe(document.body);
  document.documentElement.dataset.ready = "true";
}

run(readData());
