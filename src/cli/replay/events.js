// Events in words: the verdict of the last one, and a table that jumps to each.

const EVENT_FILTERS = [
  ["all", "all events", () => true],
  ["impact", "impacts", (event) => event.verdict],
  ["ambiguous", "impacts that are not unique", (event) => event.verdict && verdictOf(event) !== "unique"],
  ["noted", "not by the law alone", (event) => event.note || event.reason],
  ["held", "holds, releases, branches", (event) => !event.verdict],
];

// `unique`, `ambiguous`, or `undecided` when the law cannot tell.
const VERDICT_WORDS = { yes: "unique", no: "ambiguous", undecided: "undecided" };
function verdictOf({ verdict }) {
  return VERDICT_WORDS[verdict.unique] ?? "undecided";
}

function outcomesText({ outcomes, capped, unique }) {
  if (unique === "undecided") return capped ? "not counted to the end" : "one outcome known";
  const count = `${capped ? "at least " : ""}${outcomes}`;
  return `${count} ${outcomes === 1 ? "outcome" : "outcomes"}`;
}

const HELD_WORDS = { hold: "Held", release: "Released", branch: "Branch" };
// What a hold became, how many continuations a branch has.
function heldText(event) {
  if (event.continuations !== null) return `, ${event.continuations} continuations`;
  return event.mode ? `, ${event.mode}` : "";
}

const sumOfNormals = (event) => event.contacts.reduce((sum, contact) => sum + contact.normal, 0);
// Change of the kinetic energy [J] in words; what is rounding beside the energy is none.
function energyChange({ verdict: { energy: [before, after] } }) {
  return formatBeside(after - before, before, 3);
}
const xi = (event) => `\u03be = ${formatNumber(event.verdict.indeterminacy, 3)}`;

// The latest event over the picture.
class VerdictCard {
  constructor(host, events) {
    this.host = host;
    this.events = events;
    this.shown = -2;
  }

  // Nothing for −1.
  draw(index) {
    if (index === this.shown) return;
    this.shown = index;
    const event = this.events[index];
    if (!event) {
      this.host.className = "";
      this.host.replaceChildren();
      return;
    }
    const names = event.contacts.map((contact) => contact.name).join(", ");
    const at = `at ${formatNumber(event.time, 6)} s`;
    if (!event.verdict) {
      this.host.className = "hold";
      this.host.replaceChildren(element("strong", {}, HELD_WORDS[event.kind] ?? event.kind), ` ${at}: ${names}${heldText(event)}`);
      return;
    }
    const kind = verdictOf(event);
    this.host.className = kind;
    const { law, sequence, energy } = event.verdict;
    const struck = event.contacts.filter((contact) => length(contact.impulse) > 0);
    this.host.replaceChildren(
      element("div", {}, element("strong", {}, event.kind === "limit" ? "Joint limit" : "Impact"), ` ${at}`, element("span", { class: "wide" }, `, law ${law}`)),
      element("div", {}, element("span", { class: `badge ${kind}` }, kind), ` ${outcomesText(event.verdict)}, ${xi(event)}`),
      element("div", { class: "wide" },
        struck.map((c) => `${c.name} ${formatNumber(length(c.impulse), 3)}\u00a0N\u00a0s`).join(", ") || names),
      element("div", { class: "wide" }, sequence.length ? `sequence ${sequence.join(" ")}` : ""),
      element("div", { class: "wide" }, event.reason),
      element("div", { class: "wide" }, `kinetic energy ${formatNumber(energy[0])} J, change ${energyChange(event)} J`),
    );
  }
}

class EventTable {
  constructor(host, filterHost, noteHost, data, player) {
    this.events = data.events;
    this.player = player;
    this.current = -1;
    this.host = host;
    this.rows = this.events.map((event, i) => this.row(event, i));
    const head = ["Time (s)", "Event", "Contacts", "Sequence", "Outcomes", "\u03be", "\u0394 energy (J)", "Impulse (N s)"];
    const classes = ["number", "", "", "wide", "", "number", "number wide", "number wide"];
    this.body = element("tbody", {}, ...this.rows);
    host.replaceChildren(element("table", {},
      element("thead", {}, element("tr", {}, ...head.map((text, i) =>
        element("th", { scope: "col", class: classes[i] }, text)))),
      this.body));
    const select = filterHost;
    for (const [key, label, belongs] of EVENT_FILTERS) {
      select.append(element("option", { value: key }, `${label} (${this.events.filter(belongs).length})`));
    }
    select.addEventListener("change", () => {
      const [, , belongs] = EVENT_FILTERS.find(([key]) => key === select.value);
      this.events.forEach((event, i) => { this.rows[i].hidden = !belongs(event); });
    });
    if (data.event_count > this.events.length) {
      noteHost.textContent = `The first ${this.events.length} of ${data.event_count} events are shown; events.csv has all.`;
    } else if (this.events.length === 0) {
      noteHost.textContent = "Nothing touched: there are no events.";
    }
    host.hidden = this.events.length === 0;
  }

  row(event, i) {
    const jump = element("button", { type: "button", class: "number" }, formatNumber(event.time, 6));
    const names = event.contacts.map((contact) => contact.name).join(", ");
    const cells = [
      element("td", { class: "number" }, jump),
      element("td", {}, event.note ? `${event.kind} (${event.note})` : `${event.kind}${event.verdict ? "" : heldText(event)}`),
      element("td", {}, names),
    ];
    if (event.verdict) {
      const kind = verdictOf(event);
      cells.push(
        element("td", { class: "wide" }, event.verdict.sequence.join(" ")),
        element("td", {}, element("span", { class: `badge ${kind}` },
          kind === "undecided" ? kind : `${event.verdict.capped ? "\u2265 " : ""}${event.verdict.outcomes}, ${kind}`)),
        element("td", { class: "number" }, formatNumber(event.verdict.indeterminacy, 3)),
        element("td", { class: "number wide" }, energyChange(event)),
        element("td", { class: "number wide" }, formatNumber(sumOfNormals(event), 3)),
      );
    } else {
      for (const kind of ["wide", "", "", "wide", "wide"]) cells.push(element("td", { class: kind }));
    }
    const row = element("tr", {}, ...cells);
    row.addEventListener("click", () => this.player.jump(i));
    return row;
  }

  // Marks the present event; scrolls inside the table alone.
  draw(index) {
    if (index === this.current) return;
    this.rows[this.current]?.removeAttribute("aria-current");
    this.current = index;
    const row = this.rows[index];
    if (!row) return;
    row.setAttribute("aria-current", "true");
    const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
    const { scrollTop, clientHeight } = this.host;
    if (top < scrollTop + 36 || bottom > scrollTop + clientHeight) this.host.scrollTop = top - clientHeight / 2;
  }
}
