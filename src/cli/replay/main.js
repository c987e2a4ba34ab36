// Puts the page together.

// How long an impact stays visible, in seconds of the person who watches.
const LINGER = 0.5;
// How long its verdict does.
const VERDICT_LINGER = 1.5;
// Numbers in legends change at most this often, so that they can be read [ms].
const NUMBER_INTERVAL = 120;
const MOST_STRIP_ROWS = 24;
const WINDOWS = [[Infinity, "the whole run"], [10, "10 s"], [1, "1 s"], [0.1, "0.1 s"], [0.01, "0.01 s"]];

const LEDGER = [
  ["kinetic_J", "kinetic"],
  ["potential_J", "potential"],
  ["work_actuators_J", "work of actuators"],
  ["work_dissipative_J", "work of dissipation"],
  ["work_impacts_J", "change in impacts"],
  ["work_captured_J", "change where contacts were captured"],
];

const byId = (id) => document.getElementById(id);

function describeLive({ robot, law, time_step: step, description, duration }, state) {
  byId("title").textContent = description || robot;
  byId("facts").textContent = `Robot ${robot}; impacts by law ${law[0]}; ${formatNumber(duration, 6)} s in steps of `
    + `${formatNumber(step)} s. ${state}`;
}

function describe(data) {
  const { summary, robot, law } = data;
  byId("title").textContent = summary.description || robot;
  const order = law[0] === "propagative" ? `, order ${law[1]}` : "";
  const stopped = summary.status === "completed" ? "" : ` Stopped early: ${summary.reason ?? "no reason given"}.`;
  byId("facts").textContent = `Robot ${robot}; impacts by law ${law[0]}${order}; ${formatNumber(summary.time_s, 6)} s in `
    + `steps of ${formatNumber(data.time_step)} s; impacts: ${summary.impacts.count}, ambiguous: ${summary.impacts.ambiguous}, `
    + `undecided: ${summary.impacts.undecided}. ${summary.remarks.map((text) => `Note: ${text}. `).join("")}`
    + `Carom ${summary.version}, scenario ${summary.scenario_hash.slice(0, 12)}.${stopped}`;
}

// The energy ledger, and the balance on an axis of its own: it is many orders smaller.
function ledgerPlots(host, store, onPick) {
  const curve = ([column, name]) =>
    ({ name, get times() { return store.times; }, get values() { return store.values(column); } });
  const largest = LEDGER.reduce((most, [column]) => store.values(column).reduce((m, x) => Math.max(m, Math.abs(x)), most), 0);
  return [
    new Plot(host, { title: "Energy", unit: "J", zero: true, curves: LEDGER.map(curve) }, onPick),
    new Plot(host, {
      title: "Kinetic and potential energy less all work, change since the start", unit: "J", zero: true,
      leastSpan: 1e-12 * largest,
      curves: [{ name: "balance", get times() { return store.times; }, get values() { return store.change("energy_residual_J"); } }],
    }, onPick),
  ];
}

// What is plotted at first: gaps, or joints of a robot that touches nothing.
function firstChoice(names) {
  const gaps = names.filter((name) => name.startsWith("gap_"));
  if (gaps.length) return gaps.slice(0, CURVE_COLOURS);
  return names.filter((name) => name.startsWith("q_")).slice(0, CURVE_COLOURS);
}

// What moves in a plane is seen from its side.
function firstView(axis) {
  const name = { 0: "Front", 1: "Side", 2: "Top" }[axis] ?? "Oblique";
  return VIEWS.find((look) => look.name === name);
}

// The site of every contact, in a state that its colour shows. A site that touches in several places shows the
// state that matters most.
const SITE_RANKS = ["held", "unique", "ambiguous"];
function siteStates(contacts, held, active) {
  const states = new Map();
  const mark = (name, state) => {
    const contact = contacts.find((c) => c.name === name);
    contact?.sites.forEach((site) => {
      if (SITE_RANKS.indexOf(state) >= SITE_RANKS.indexOf(states.get(site))) states.set(site, state);
    });
  };
  held.forEach((name) => mark(name, "held"));
  for (const { event } of active) {
    if (!event.verdict) continue;
    const state = verdictOf(event) === "unique" ? "unique" : "ambiguous";
    event.contacts.filter((c) => length(c.impulse) > 0).forEach((c) => mark(c.name, state));
  }
  return states;
}

function run(data) {
  if (data.live === undefined) describe(data);
  else describeLive(data, "It goes on.");
  const motion = new Motion(data.scene, data.frames);
  const store = new SeriesStore(data.series);
  let [start, end] = [motion.times[0] ?? 0, motion.times[motion.times.length - 1] ?? 0];
  const player = new Player(start, end, Float64Array.from(data.events, (event) => event.time));
  player.repeats = data.repeats === true;
  const view = new SceneView(byId("scene"), data.scene, motion);
  const arrows = new Arrows(data, motion);
  const overlays = new Overlays(data.scene);
  const card = new VerdictCard(byId("verdict"), data.events);
  let table = new EventTable(byId("events"), byId("filter"), byId("event-note"), data, player);
  const marks = new Marks(byId("marks"), data.events, player);
  let phases = contactPhases(data.events, end);

  const pick = (time) => {
    player.pause();
    player.seek(time);
  };
  byId("about").open = window.innerWidth >= 900;
  const longest = Math.max(0, ...phases.map(({ name }) => name.length));
  PLOT.left = Math.min(innerWidth < 900 ? 104 : 168, Math.max(64, 14 + 8 * longest));
  let fixedPlots = [];
  const plotWhole = () => {
    byId("plots").replaceChildren();
    fixedPlots = ledgerPlots(byId("plots"), store, pick);
    if (phases.length) fixedPlots.push(new PhaseStrip(byId("plots"), phases.slice(0, MOST_STRIP_ROWS), pick));
  };
  plotWhole();
  let chosenPlots = [];
  const choose = (names) => {
    byId("chosen").replaceChildren();
    chosenPlots = plotsByUnit(byId("chosen"), names, [{ label: "", store }], pick);
    drawPlots();
  };

  // The stretch of time that the plots show.
  let width = Infinity;
  let shownWindow = [start, end > start ? end : start + 1];
  function wantedWindow() {
    if (width >= end - start) return [start, end > start ? end : start + 1];
    const [from, to] = shownWindow;
    const kept = Math.abs(to - from - width) < 1e-9 * width && player.time >= from && player.time <= to;
    if (kept) return shownWindow;
    const left = Math.min(end - width, Math.max(start, player.time - width / 4));
    return [left, left + width];
  }
  const plots = () => [...fixedPlots, ...chosenPlots];
  let numbersAt = 0;
  function drawCursors(force) {
    const now = performance.now();
    const numbers = force || !player.playing || now - numbersAt > NUMBER_INTERVAL;
    if (numbers) numbersAt = now;
    plots().forEach((plot) => plot.cursor(player.time, numbers));
  }
  function drawPlots() {
    shownWindow = wantedWindow();
    plots().forEach((plot) => plot.draw(shownWindow));
    drawCursors(true);
  }

  // Events that are seen now, with how strongly: the one jumped to, or those of the last moments.
  function activeEvents() {
    if (player.focus !== null) {
      return data.events.filter((event) => event.time === data.events[player.focus].time)
        .map((event) => ({ event, strength: 1 }));
    }
    const linger = LINGER * player.speed;
    return data.events.filter(({ time }) => time <= player.time && player.time - time < linger)
      .map((event) => ({ event, strength: 1 - (player.time - event.time) / linger }));
  }
  function heldNow() {
    return phases.filter(({ held }) => held.some(([from, to]) => from <= player.time && player.time < to || to === end && player.time === end))
      .map(({ name }) => name);
  }

  const slider = byId("time");
  const clock = byId("clock");
  const play = byId("play");
  const digits = Math.min(6, Math.max(3, Math.ceil(-Math.log10(data.time_step))));
  function drawScene() {
    const active = activeEvents();
    const drawn = view.draw(player.time, siteStates(data.scene.contacts, heldNow(), active), overlays.on.has("sites"));
    overlays.draw(view, drawn, arrows.loadsAt(player.time));
    arrows.draw(view, drawn.target, player.time, active, player.focus !== null);
  }
  function update() {
    drawScene();
    const share = end > start ? (player.time - start) / (end - start) : 0;
    slider.value = Math.round(share * Number(slider.max));
    slider.setAttribute("aria-valuetext", `${player.time.toFixed(digits)} s`);
    clock.textContent = `${player.time.toFixed(digits)} / ${end.toFixed(digits)} s`;
    play.textContent = player.playing ? "Pause" : "Play";
    play.setAttribute("aria-pressed", String(player.playing));
    byId("speed").value = player.speed;
    const latest = player.latest();
    const recent = player.focus !== null || latest >= 0 && player.time - data.events[latest].time < VERDICT_LINGER * player.speed;
    card.draw(recent ? latest : -1);
    table.draw(latest);
    const window = wantedWindow();
    if (window[0] !== shownWindow[0] || window[1] !== shownWindow[1]) drawPlots();
    else drawCursors(false);
  }
  // Several changes before the next picture are drawn once.
  let waiting = false;
  function schedule() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      update();
    });
  }

  player.watch(schedule);
  slider.addEventListener("input", () => {
    player.pause();
    player.seek(start + (Number(slider.value) / Number(slider.max)) * (end - start));
  });
  play.addEventListener("click", () => player.toggle());
  play.disabled = end <= start;
  byId("previous").addEventListener("click", () => player.previous());
  byId("next").addEventListener("click", () => player.next());
  byId("speed").append(...SPEEDS.map((speed) => element("option", { value: speed }, `${speed}\u00d7`)));
  byId("speed").addEventListener("change", (event) => player.setSpeed(Number(event.target.value)));
  byId("window").append(...WINDOWS.filter(([span]) => span === Infinity || span < end - start)
    .map(([span, label]) => element("option", { value: span }, label)));
  byId("window").addEventListener("change", (event) => {
    width = Number(event.target.value);
    shownWindow = [NaN, NaN];
    drawPlots();
  });

  const refit = (look) => {
    if (look) view.camera.look(look);
    view.fit();
    schedule();
  };
  byId("views").append(...VIEWS.map((look) => {
    const button = element("button", { type: "button", title: `${look.name} view (${look.key})` }, look.name);
    button.addEventListener("click", () => refit(look));
    return button;
  }));
  const showButtons = OVERLAYS.map(({ name, label, key, words }) => {
    const button = element("button", { type: "button", title: `${words} (${key.toUpperCase()})`, "aria-pressed": "false" }, label);
    button.addEventListener("click", () => show(name));
    return button;
  });
  const pressButtons = () =>
    OVERLAYS.forEach(({ name }, i) => showButtons[i].setAttribute("aria-pressed", String(overlays.on.has(name))));
  const show = (name) => {
    overlays.toggle(name);
    pressButtons();
    schedule();
  };
  pressButtons();
  byId("shows").append(...showButtons);
  attachGestures(byId("scene"), view.camera, schedule);
  const help = byId("help");
  const openHelp = () => help.showModal();
  const keys = keyTable({ player, view, refit, show, redraw: schedule, help: openHelp });
  fillHelp(help, keys);
  attachKeys(keys, help);
  byId("help-button").addEventListener("click", openHelp);

  makeChooser(byId("chooser"), store.names(), firstChoice(store.names()), choose);
  const redrawAll = () => {
    drawPlots();
    marks.draw();
    schedule();
  };
  theme.watch(redrawAll);
  let size = "";
  new ResizeObserver(() => {
    const now = `${window.innerWidth}x${byId("view").clientHeight}`;
    if (now !== size) {
      if (size === "" || now.split("x")[0] !== size.split("x")[0]) view.fit();
      size = now;
    }
    redrawAll();
  }).observe(document.body);
  view.camera.look(firstView(view.stillAxis()));
  view.fit();
  choose(firstChoice(store.names()));
  redrawAll();
  // What a run that goes on has left so far takes the place of what was shown; nothing says that it is gone.
  if (data.live) {
    player.time = end;
    watchRun((now) => {
      if (!now) {
        describeLive(data, "It does not answer any more; its folder has a replay if it ended.");
        return;
      }
      const news = now.events.length !== data.events.length;
      Object.assign(data, now);
      motion.load(data.frames);
      store.load(data.series);
      arrows.load(data, motion);
      end = motion.times[motion.times.length - 1] ?? 0;
      phases = contactPhases(data.events, end);
      view.measure();
      view.follow = data.scene.base !== "fixed";
      play.disabled = end <= start;
      if (news) {
        card.events = data.events;
        marks.load(data.events);
        byId("filter").replaceChildren();
        table = new EventTable(byId("events"), byId("filter"), byId("event-note"), data, player);
      }
      plotWhole();
      shownWindow = [NaN, NaN];
      player.extend(end, Float64Array.from(data.events, (event) => event.time), LIVE_INTERVAL / 1000);
      describeLive(data, data.live ? "It goes on." : "It has ended; its folder has a replay that stays.");
      redrawAll();
    });
  }
  // For scripts: where the centre of a contact site is at a time.
  window.carom = {
    site(name, time) {
      const site = data.scene.sites.find((s) => s.name === name);
      return place(poseOf(motion.poses(time), site.body), site.center);
    },
  };
  document.documentElement.dataset.ready = "true";
}

run(readData());
