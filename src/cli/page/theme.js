// Colours from the style sheet, for what is drawn on canvases.

const CURVE_COLOURS = 7;

const theme = {
  colours: {},
  dark: false,
  watchers: [],

  read() {
    const style = getComputedStyle(document.documentElement);
    const names = ["ground", "panel", "ink", "muted", "line", "grid", "accent", "unique", "ambiguous", "held"];
    for (const name of names) this.colours[name] = style.getPropertyValue(`--${name}`).trim();
    this.curves = Array.from({ length: CURVE_COLOURS }, (_, i) =>
      style.getPropertyValue(`--curve-${i}`).trim());
    this.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.font = style.fontFamily;
  },

  watch(callback) {
    this.watchers.push(callback);
  },
};
theme.read();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  theme.read();
  theme.watchers.forEach((callback) => callback());
});

// Colour and dashes of curve i: when the colours are used up, dashes tell the rest apart.
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
function curveStyle(i) {
  return {
    colour: theme.curves[i % CURVE_COLOURS],
    dash: DASHES[Math.floor(i / CURVE_COLOURS) % DASHES.length],
  };
}

// A canvas in the pixels of the screen; returns its context with lengths in CSS pixels.
function fitCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
