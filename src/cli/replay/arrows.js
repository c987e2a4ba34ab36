// Impulses at the moment of impact, forces of held contacts, scales and the directions of the axes.

const LOAD_WIDTH = 11;
// The length of a large arrow, in sizes of the robot; longer ones are cut off a little above it.
const LONGEST_IMPULSE = 0.55;
const LONGEST_FORCE = 0.4;
const LONGEST = 1.5;
// Nineteen of twenty forces of a run are smaller than a large one: a spike does not make all others small.
const LARGE = 0.95;
const MOST_LABELS = 12;
const MOST_RUNNING_LABELS = 3;
// Impulses below this share of the largest one in sight have no label.
const LABELLED_SHARE = 0.05;

// A number that nearly all sizes stay below, 0 for none.
function largeOf(sizes) {
  const sorted = Float64Array.from(sizes.filter((size) => size > 0)).sort();
  return sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(LARGE * sorted.length))] : 0;
}

// Factor on a vector of a size, so that a large one is `long`.
const arrowLength = (size, large, long) => (size > 0 && large > 0 ? (long * Math.min(size / large, LONGEST)) / size : 0);

class Arrows {
  constructor(data, motion) {
    this.load(data, motion);
  }

  load(data, motion) {
    this.events = data.events;
    this.contacts = data.scene.contacts;
    this.loads = unpackSingle(data.frames.loads);
    this.times = motion.times;
    this.firstLoad = new Map();
    const sizes = [];
    for (let i = 0; i < this.loads.length; i += LOAD_WIDTH) {
      const frame = this.loads[i];
      if (!this.firstLoad.has(frame)) this.firstLoad.set(frame, i);
      sizes.push(Math.hypot(...this.loads.subarray(i + 5, i + 8)));
    }
    this.largeForce = largeOf(sizes);
    this.largeImpulse = largeOf(data.events.flatMap(({ contacts }) => contacts.map((c) => length(c.impulse))));
  }

  // Forces of held contacts around a time.
  loadsAt(time) {
    let frame = lastAtMost(this.times, time);
    if (frame + 1 < this.times.length && this.times[frame + 1] - time < time - this.times[frame]) frame += 1;
    const loads = [];
    for (let i = this.firstLoad.get(frame) ?? Infinity; i < this.loads.length && this.loads[i] === frame; i += LOAD_WIDTH) {
      loads.push({
        contact: this.loads[i + 1],
        point: [...this.loads.subarray(i + 2, i + 5)],
        force: [...this.loads.subarray(i + 5, i + 8)],
        normal: [...this.loads.subarray(i + 8, i + 11)],
      });
    }
    return loads;
  }

  // `active`: the events that are seen, with how strongly.
  draw(view, target, time, active, focused) {
    view.withTarget(target, () => {
      this.view = view;
      this.labels = [];
      // Of an event that was jumped to, its largest impulse sets the scale; while time runs, the large ones of the run do.
      const impulses = active.flatMap(({ event }) => event.contacts.map((c) => length(c.impulse)));
      this.impulseScale = focused ? Math.max(0, ...impulses) : this.largeImpulse;
      this.mostLabels = focused ? MOST_LABELS : MOST_RUNNING_LABELS;
      this.impacts = impulses.some((size) => size > 0);
      for (const { point, force } of this.loadsAt(time)) {
        const shown = scaled(force, arrowLength(length(force), this.largeForce, LONGEST_FORCE * view.robotSize));
        this.arrow(point, shown, { colour: theme.colours.held, width: 2.2, alpha: 1, dash: [] });
      }
      // Of each contact its last impulse alone: one that chatters strikes many times in sight.
      const last = new Map();
      for (const { event } of active) event.contacts.forEach((c) => { if (event.verdict || focused) last.set(c.name, event); });
      for (const { event, strength } of active) {
        this.drawEvent(event, strength, event.contacts.filter((c) => focused || last.get(c.name) === event));
      }
      this.drawLabels();
    });
    this.drawScales(view);
  }

  drawEvent(event, strength, contacts) {
    const { view } = this;
    // While time runs, impacts alone stay in sight.
    if (!event.verdict && strength < 1) return;
    const doubtful = event.verdict && verdictOf(event) !== "unique";
    const colour = theme.colours[event.verdict ? (doubtful ? "ambiguous" : "unique") : "held"];
    for (const { name, point, impulse } of contacts) {
      const size = length(impulse);
      const [x, y] = view.camera.project(point);
      view.context.globalAlpha = strength;
      view.context.strokeStyle = colour;
      view.context.lineWidth = 2;
      view.context.beginPath();
      view.context.arc(x, y, 6, 0, 2 * Math.PI);
      view.context.stroke();
      view.context.globalAlpha = 1;
      if (size === 0) {
        if (!event.verdict && !this.impacts) this.labels.push({ x, y, name, text: `${event.kind} ${name}`, colour, strength });
        continue;
      }
      const shown = scaled(impulse, arrowLength(size, this.impulseScale, LONGEST_IMPULSE * view.robotSize));
      // What is ambiguous is dashed, so that it is not told by colour alone.
      const end = this.arrow(point, shown, { colour, width: 3.2, alpha: strength, dash: doubtful ? [7, 4] : [] });
      const text = `${name} ${formatNumber(size, 3)}\u00a0N\u00a0s`;
      if (size >= LABELLED_SHARE * this.impulseScale) {
        this.labels.push({ x: end[0], y: end[1], name, text, colour, strength });
      }
    }
  }

  // An arrow from a point; returns where its tip is on the screen.
  arrow(point, vector, { colour, width, alpha, dash }) {
    const { camera, context } = this.view;
    const from = camera.project(point);
    const to = camera.project(add(point, vector));
    drawArrow(context, from, to, { colour, width, alpha, dash });
    return to;
  }

  // Labels beside the tips, moved down until they are apart.
  drawLabels() {
    const { context, camera } = this.view;
    context.font = `600 13px ${theme.font}`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    const taken = [];
    // The last label of each contact.
    const latest = new Map(this.labels.filter(({ strength }) => strength > 0.35).map((label) => [label.name, label]));
    for (const { x, y, text, colour } of [...latest.values()].slice(-this.mostLabels)) {
      const width = context.measureText(text).width;
      const left = Math.min(Math.max(4, x + 10), camera.size[0] - width - 4);
      let level = Math.min(Math.max(10, y), camera.size[1] - 10);
      const clash = (other) => Math.abs(other.level - level) < 16 && left < other.left + other.width && other.left < left + width;
      for (let i = 0; i < 12 && taken.some(clash); i += 1) level += 16;
      taken.push({ left, width, level });
      context.lineWidth = 4;
      context.lineJoin = "round";
      context.strokeStyle = theme.colours.ground;
      context.strokeText(text, left, level);
      context.fillStyle = colour;
      context.fillText(text, left, level);
    }
  }

  // How long a metre, a newton and a newton second are.
  drawScales(view) {
    const { camera, context } = view;
    const [width, height] = camera.size;
    const robot = view.robotSize * camera.scale;
    const scales = [{ unit: "m", pixels: camera.scale, colour: theme.colours.ink, bar: true }];
    if (this.impacts) {
      scales.push({ unit: "N s", pixels: (LONGEST_IMPULSE * robot) / this.impulseScale, colour: theme.colours.ink });
    }
    if (this.largeForce > 0) {
      scales.push({ unit: "N", pixels: (LONGEST_FORCE * robot) / this.largeForce, colour: theme.colours.held });
    }
    context.font = `12px ${theme.font}`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    scales.reverse().forEach(({ unit, pixels, colour, bar }, i) => {
      const y = height - 14 - 18 * i;
      const value = roundDown(110 / pixels);
      const to = 12 + value * pixels;
      if (bar) {
        context.strokeStyle = colour;
        context.lineWidth = 2;
        context.beginPath();
        for (const [x, dy] of [[12, -4], [12, 4], [12, 0], [to, 0], [to, -4], [to, 4]]) context.lineTo(x, y + dy);
        context.stroke();
      } else {
        drawArrow(context, [12, y], [to, y], { colour, width: 2.4, alpha: 1, dash: [] });
      }
      const text = `${formatNumber(value, 2)} ${unit}`;
      context.lineWidth = 4;
      context.strokeStyle = theme.colours.ground;
      context.strokeText(text, to + 8, y);
      context.fillStyle = theme.colours.ink;
      context.fillText(text, to + 8, y);
    });
    drawAxes(context, camera, [width - 40, height - 40]);
  }
}

function drawArrow(context, from, to, { colour, width, alpha, dash }) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const size = Math.hypot(dx, dy);
  context.globalAlpha = alpha;
  context.strokeStyle = colour;
  context.fillStyle = colour;
  const head = Math.min(4.2 * width, size);
  if (size < 2) {
    context.beginPath();
    context.arc(...from, 3, 0, 2 * Math.PI);
    context.fill();
  } else {
    const [ux, uy] = [dx / size, dy / size];
    const neck = [to[0] - ux * head, to[1] - uy * head];
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(...neck);
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    context.moveTo(...to);
    context.lineTo(neck[0] - uy * head * 0.45, neck[1] + ux * head * 0.45);
    context.lineTo(neck[0] + uy * head * 0.45, neck[1] - ux * head * 0.45);
    context.closePath();
    context.fill();
  }
  context.globalAlpha = 1;
}

// The directions of x, y and z.
function drawAxes(context, camera, [x, y]) {
  const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis, i) => ({ axis, name: "xyz"[i] }));
  axes.sort((a, b) => dot(a.axis, camera.toEye) - dot(b.axis, camera.toEye));
  context.font = `italic 13px ${theme.font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const { axis, name } of axes) {
    const [dx, dy] = [dot(axis, camera.right), -dot(axis, camera.up)];
    if (Math.hypot(dx, dy) < 0.1) continue;
    drawArrow(context, [x, y], [x + 22 * dx, y + 22 * dy], { colour: theme.colours.muted, width: 1.6, alpha: 1, dash: [] });
    context.fillStyle = theme.colours.ink;
    context.fillText(name, x + 31 * dx, y + 31 * dy);
  }
}
