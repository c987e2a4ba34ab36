// Curves over time on axes with units, with a cursor that all plots share.

const PLOT = { height: 150, left: 64, right: 10, top: 8, bottom: 30 };

function swatch({ colour, dash }) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  svg.setAttribute("width", 22);
  svg.setAttribute("height", 8);
  svg.setAttribute("aria-hidden", "true");
  const attributes = { x1: 0, x2: 22, y1: 4, y2: 4, stroke: colour, "stroke-width": 2.5 };
  if (dash.length) attributes["stroke-dasharray"] = dash.join(" ");
  for (const [name, value] of Object.entries(attributes)) line.setAttribute(name, value);
  svg.append(line);
  return svg;
}

// A time axis from left to right that plots and the strip of contacts have in common.
class TimeArea {
  constructor(height, onPick) {
    this.height = height;
    this.canvas = element("canvas", { role: "img" });
    this.mark = element("div", { class: "cursor" });
    this.area = element("div", { class: "area" }, this.canvas, this.mark);
    this.window = [0, 1];
    this.width = 0;
    this.left = PLOT.left;
    const pick = (event) => {
      const x = event.clientX - this.area.getBoundingClientRect().left;
      const share = (x - this.left) / Math.max(1, this.width - this.left - PLOT.right);
      const [from, to] = this.window;
      onPick(from + (to - from) * Math.min(1, Math.max(0, share)));
    };
    if (onPick) {
      this.area.addEventListener("pointerdown", (event) => {
        this.area.setPointerCapture(event.pointerId);
        pick(event);
      });
      this.area.addEventListener("pointermove", (event) => {
        if (this.area.hasPointerCapture(event.pointerId)) pick(event);
      });
    } else {
      this.area.style.cursor = "default";
    }
  }

  x(time) {
    const [from, to] = this.window;
    return this.left + ((time - from) / (to - from)) * (this.width - this.left - PLOT.right);
  }

  // Clears the canvas and draws the time axis.
  begin(window) {
    this.window = window;
    this.width = this.area.clientWidth;
    const context = fitCanvas(this.canvas, this.width, this.height);
    this.canvas.style.height = `${this.height}px`;
    const bottom = this.height - PLOT.bottom;
    const { at, step } = ticks(window[0], window[1], Math.max(2, (this.width - this.left) / 90));
    context.font = `12px ${theme.font}`;
    context.strokeStyle = theme.colours.grid;
    context.fillStyle = theme.colours.muted;
    context.lineWidth = 1;
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const time of at) {
      const x = Math.round(this.x(time)) + 0.5;
      context.beginPath();
      context.moveTo(x, PLOT.top);
      context.lineTo(x, bottom);
      context.stroke();
      const text = formatTick(time, step, window[1]);
      context.fillText(text, Math.min(x, this.width - context.measureText(text).width / 2), bottom + 3);
    }
    context.textAlign = "right";
    context.fillText("time (s)", this.width - PLOT.right, bottom + 16);
    this.mark.style.height = `${bottom}px`;
    return context;
  }

  cursor(time) {
    const x = this.x(time);
    const inside = x >= this.left - 0.5 && x <= this.width - PLOT.right + 0.5;
    this.mark.style.display = inside ? "block" : "none";
    this.mark.style.transform = `translateX(${x}px)`;
  }
}

// The range of the vertical axis: all values that are seen, zero where it belongs, some air.
function verticalRange(spec, window) {
  let [low, high] = [Infinity, -Infinity];
  for (const { times, values } of spec.curves) {
    const last = Math.min(values.length - 1, lastAtMost(times, window[1]) + 1);
    for (let i = lastAtMost(times, window[0]); i <= last; i += 1) {
      if (values[i] < low) low = values[i];
      if (values[i] > high) high = values[i];
    }
  }
  if (low > high) return [-1, 1];
  if (spec.zero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  // A curve that does not move is drawn in the middle of a readable range.
  const least = Math.max(spec.leastSpan ?? 0, 1e-12 * Math.max(Math.abs(low), Math.abs(high)));
  const air = Math.max(0.06 * (high - low), 0.5 * (least - (high - low)));
  if (!(air > 0)) return [low - 1, high + 1];
  const floor = spec.zero && low === 0 && high > 0 ? 0 : low - air;
  const ceiling = spec.zero && high === 0 && low < 0 ? 0 : high + air;
  return [floor, ceiling];
}

class Plot {
  // `spec`: title, unit, zero (whether the axis must show it), leastSpan, curves of name, times, values.
  constructor(host, spec, onPick) {
    this.spec = spec;
    this.time = new TimeArea(PLOT.height, onPick);
    this.readouts = [];
    this.legend = element("ul", { class: "legend" });
    this.time.canvas.setAttribute("aria-label",
      `${spec.title} over time: ${spec.curves.map((curve) => curve.name).join(", ")}`);
    this.figure = element("figure", { class: "plot" },
      element("figcaption", {},
        element("span", { class: "title" }, withUnit(spec.title, spec.unit))),
      this.legend, this.time.area);
    host.append(this.figure);
  }

  draw(window) {
    const { spec, time } = this;
    const context = time.begin(window);
    const [low, high] = verticalRange(spec, window);
    this.scale = Math.max(-low, high);
    const bottom = time.height - PLOT.bottom;
    const y = (value) => bottom - ((value - low) / (high - low)) * (bottom - PLOT.top);
    const { at, step } = ticks(low, high, 4);
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const value of at) {
      const level = Math.round(y(value)) + 0.5;
      const zero = Math.abs(value) < 1e-9 * step;
      context.strokeStyle = zero ? theme.colours.muted : theme.colours.grid;
      context.beginPath();
      context.moveTo(time.left, level);
      context.lineTo(time.width - PLOT.right, level);
      context.stroke();
      context.fillStyle = theme.colours.muted;
      context.fillText(formatTick(value, step, Math.max(-low, high)), time.left - 6, level);
    }
    context.save();
    context.beginPath();
    context.rect(time.left, 0, time.width - time.left - PLOT.right, bottom + 1);
    context.clip();
    context.lineWidth = 1.8;
    context.lineJoin = "round";
    spec.curves.forEach((curve, i) => {
      const { colour, dash } = curve.style ?? curveStyle(i);
      context.strokeStyle = colour;
      context.setLineDash(dash);
      context.beginPath();
      const last = Math.min(curve.values.length - 1, lastAtMost(curve.times, window[1]) + 1);
      for (let k = lastAtMost(curve.times, window[0]); k <= last; k += 1) {
        context.lineTo(time.x(curve.times[k]), y(curve.values[k]));
      }
      context.stroke();
    });
    context.restore();
    this.label();
  }

  // The legend, with the colours of the present theme.
  label() {
    this.readouts = this.spec.curves.map(() => element("span", { class: "number muted" }));
    this.legend.replaceChildren(...this.spec.curves.map((curve, i) =>
      element("li", {}, swatch(curve.style ?? curveStyle(i)), curve.name, this.readouts[i])));
  }

  // Moves the cursor; `numbers` writes the values at it.
  cursor(time, numbers) {
    this.time.cursor(time);
    if (!numbers) return;
    this.spec.curves.forEach((curve, i) => {
      const value = curve.values[lastAtMost(curve.times, time)];
      this.readouts[i].textContent = formatBeside(value, this.scale);
    });
  }
}

// One plot for every unit among the named columns of some runs, so that no axis mixes units.
// `runs`: label (empty for a single run), store, style (of the run, when columns do not need one).
function plotsByUnit(host, names, runs, onPick) {
  const units = new Map();
  for (const name of names) {
    const holder = runs.find(({ store }) => store.has(name));
    if (!holder) continue;
    const unit = holder.store.unit(name);
    const kind = name.startsWith("q_") ? "q" : "";
    const key = `${unit} ${kind}`;
    if (!units.has(key)) units.set(key, { unit, position: kind === "q", names: [] });
    units.get(key).names.push(name);
  }
  return [...units.values()].map(({ unit, position, names: together }) => {
    const curves = together.flatMap((name) => runs
      .filter(({ store }) => store.has(name))
      .map(({ label, store }) => ({
        name: label ? `${columnLabel(name)}, ${label}` : columnLabel(name),
        get times() { return store.times; },
        get values() { return store.values(name); },
      })));
    return new Plot(host, {
      title: unitTitle(unit, position),
      unit,
      // A position may be anywhere; every other quantity is read from zero.
      zero: !position,
      leastSpan: unit === "J" || unit === "N" ? 1e-9 : 1e-6,
      curves,
    }, onPick);
  });
}

function unitTitle(unit, position) {
  const titles = {
    J: "Energy", N: "Force", "m/s": "Velocity", "rad/s": "Angular velocity",
    m: position ? "Position" : "Gap", rad: "Angle", "": "Quaternion",
    "rad or m": "Joint position", "rad/s or m/s": "Joint velocity",
  };
  return titles[unit] ?? "Value";
}

// A column's name without what its axis says.
function columnLabel(name) {
  return name.replace(/^(q_|gap_)/, "").replace(/^v_/, "").replace(/_(J|m|N)$/, "").replace(/^force_/, "")
    .replace(/_/g, "\u00a0");
}
