// Tables that compare runs; the first run is what the others are compared with.

const sameValue = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function valueText(value) {
  if (value === null) return "\u2013";
  if (typeof value === "number") return formatNumber(value, 7);
  return typeof value === "string" ? value : JSON.stringify(value);
}

// Long names may go on in a new line after a dot or an underscore.
const breakable = (name) => name.split(/(?<=[._])/).flatMap((part) => [element("wbr"), part]);

// How far a number is from that of the first run.
function differenceText(value, first) {
  if (typeof value !== "number" || typeof first !== "number" || value === first) return "";
  const difference = value - first;
  const share = first === 0 ? "" : `, ${difference > 0 ? "+" : ""}${formatNumber((100 * difference) / Math.abs(first), 3)}\u00a0%`;
  return `${difference > 0 ? "+" : ""}${formatNumber(difference, 4)}${share}`;
}

// One row a value, one column a run. Returns the rows that differ and those that do not.
function valueTable(host, names, entries) {
  const rows = entries.map(({ name, values, differs }) => {
    const cells = values.map((value, i) => {
      const cell = element("td", { class: typeof value === "number" ? "number" : "text" }, valueText(value));
      const difference = i === 0 || !differs ? "" : differenceText(value, values[0]);
      if (difference) cell.append(element("span", { class: "difference" }, difference));
      return cell;
    });
    return element("tr", { class: differs ? "differs" : "same" }, element("td", {}, ...breakable(name)), ...cells);
  });
  host.replaceChildren(element("table", {},
    element("thead", {}, element("tr", {}, ...["", ...names].map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, ...rows)));
  return rows;
}

function eventText(event) {
  if (!event) return "\u2013";
  const order = event.sequence.length ? ` by ${event.sequence.join(" ")}` : "";
  let verdict = "";
  if (event.outcomes !== null) {
    const count = `${event.capped ? "\u2265\u00a0" : ""}${event.outcomes} ${event.outcomes === 1 ? "outcome" : "outcomes"}`;
    const undecided = event.unique === "undecided" ? " known, undecided" : "";
    verdict = `, ${count}${undecided}, \u03be\u00a0=\u00a0${formatNumber(event.indeterminacy, 3)}`;
  }
  return `${formatNumber(event.time, 6)}\u00a0s ${event.kind}: ${event.contacts.join(", ")}${order}${verdict}`;
}

// What makes two events the same one; times may differ a little.
function eventStory(event) {
  return event && [event.kind, event.contacts, event.sequence, event.unique, event.outcomes, event.capped];
}

// The events of all runs, row by row; returns the row of the first difference.
function eventTable(host, runs) {
  const count = Math.max(...runs.map((run) => run.events.length));
  const firsts = runs.map((run) => run.first_difference).filter((i) => i !== null && i < count);
  const first = firsts.length ? Math.min(...firsts) : null;
  const rows = Array.from({ length: count }, (_, i) => {
    const cells = runs.map(({ events }) => {
      const other = !sameValue(eventStory(events[i]), eventStory(runs[0].events[i]));
      return element("td", { class: other ? "text other" : "text" }, eventText(events[i]));
    });
    return element("tr", { class: i === first ? "first" : "" }, element("td", { class: "number" }, i + 1), ...cells);
  });
  host.replaceChildren(element("table", {},
    element("thead", {}, element("tr", {}, element("th", { scope: "col", class: "number" }, "No."),
      ...runs.map(({ name }) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, ...rows)));
  return first === null ? null : rows[first];
}
