// When contacts were held and struck: a strip over time, and marks above the time slider.

const PHASE_ROW = 18;

// Held intervals and impacts of every contact that took part in anything.
function contactPhases(events, end) {
  const rows = new Map();
  const row = (name) => {
    if (!rows.has(name)) rows.set(name, { name, held: [], impacts: [], since: null });
    return rows.get(name);
  };
  for (const event of events) {
    for (const contact of event.contacts) {
      const entry = row(contact.name);
      if (event.kind === "hold") entry.since = event.time;
      else if (event.kind === "release" && entry.since !== null) {
        entry.held.push([entry.since, event.time]);
        entry.since = null;
      } else if (event.verdict && contact.normal > 0) {
        entry.impacts.push([event.time, verdictOf(event) !== "unique"]);
      }
    }
  }
  for (const entry of rows.values()) if (entry.since !== null) entry.held.push([entry.since, end]);
  return [...rows.values()];
}

// An impact as a tick, with a diamond on it when its outcome was not unique.
function drawImpact(context, x, top, bottom, doubtful) {
  context.strokeStyle = doubtful ? theme.colours.ambiguous : theme.colours.unique;
  context.fillStyle = context.strokeStyle;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x, top);
  context.lineTo(x, bottom);
  context.stroke();
  if (!doubtful) return;
  const y = (top + bottom) / 2;
  context.beginPath();
  for (const [dx, dy] of [[0, -4.5], [4.5, 0], [0, 4.5], [-4.5, 0]]) context.lineTo(x + dx, y + dy);
  context.closePath();
  context.fill();
}

class PhaseStrip {
  constructor(host, phases, onPick) {
    this.phases = phases;
    this.time = new TimeArea(PLOT.top + PHASE_ROW * phases.length + PLOT.bottom, onPick);
    this.time.canvas.setAttribute("aria-label", "Contacts over time: when each was held and struck");
    const key = element("span", { class: "muted" }, " bar: held; line: impact; diamond: not unique");
    host.append(element("figure", { class: "plot" },
      element("figcaption", {}, element("span", { class: "title" }, "Contacts"), key), this.time.area));
  }

  draw(window) {
    const { time } = this;
    const context = time.begin(window);
    const [left, right] = [time.left, time.width - PLOT.right];
    this.phases.forEach(({ name, held, impacts }, i) => {
      const top = PLOT.top + PHASE_ROW * i;
      context.textAlign = "right";
      context.textBaseline = "middle";
      context.fillStyle = theme.colours.ink;
      context.fillText(shortened(context, name, left - 10), left - 6, top + PHASE_ROW / 2);
      context.save();
      context.beginPath();
      context.rect(left, top, right - left, PHASE_ROW);
      context.clip();
      context.fillStyle = theme.colours.held;
      for (const [from, to] of held) {
        context.fillRect(time.x(from), top + 5, Math.max(1, time.x(to) - time.x(from)), PHASE_ROW - 10);
      }
      for (const [at, doubtful] of impacts) drawImpact(context, time.x(at), top + 1, top + PHASE_ROW - 1, doubtful);
      context.restore();
    });
  }

  cursor(time) {
    this.time.cursor(time);
  }
}

function shortened(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  // Without its middle: long names differ at their ends.
  for (let kept = text.length - 1; kept > 2; kept -= 1) {
    const head = Math.floor(kept / 3);
    const shown = `${text.slice(0, head)}\u2026${text.slice(head - kept)}`;
    if (context.measureText(shown).width <= width) return shown;
  }
  return "\u2026";
}

// Impacts above the slider, where its thumb stands at their time.
class Marks {
  constructor(canvas, events, player) {
    this.canvas = canvas;
    this.load(events);
    this.player = player;
    canvas.addEventListener("pointerdown", (event) => {
      const box = canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - 8) / Math.max(1, box.width - 16);
      player.seek(player.start + share * (player.end - player.start));
    });
  }

  load(events) {
    this.events = events.filter((event) => event.verdict);
  }

  draw() {
    const { width, height } = this.canvas.getBoundingClientRect();
    const context = fitCanvas(this.canvas, width, height);
    const { start, end } = this.player;
    if (end <= start) return;
    const certain = this.events.filter((event) => verdictOf(event) === "unique");
    const doubtful = this.events.filter((event) => verdictOf(event) !== "unique");
    for (const [list, flag] of [[certain, false], [doubtful, true]]) {
      for (const { time } of list) {
        drawImpact(context, 8 + ((time - start) / (end - start)) * (width - 16), 2, height - 1, flag);
      }
    }
  }
}
