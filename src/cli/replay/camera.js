// The view: an orthographic camera that turns about a target, and the gestures that move it.

const RIGHT_ANGLE = Math.PI / 2;
const VIEWS = [
  { key: "1", name: "Oblique", azimuth: -1.05, elevation: 0.3 },
  { key: "2", name: "Side", azimuth: -RIGHT_ANGLE, elevation: 0 },
  { key: "3", name: "Front", azimuth: 0, elevation: 0 },
  { key: "4", name: "Top", azimuth: -RIGHT_ANGLE, elevation: RIGHT_ANGLE },
];

class Camera {
  constructor() {
    this.target = [0, 0, 0];
    this.scale = 100;
    this.size = [1, 1];
    this.look(VIEWS[0]);
  }

  look({ azimuth, elevation }) {
    this.azimuth = azimuth;
    this.elevation = elevation;
    this.aim();
  }

  // Unit vectors in the world: right and up on the screen, and from the scene towards the eye.
  aim() {
    const [ca, sa] = [Math.cos(this.azimuth), Math.sin(this.azimuth)];
    const [ce, se] = [Math.cos(this.elevation), Math.sin(this.elevation)];
    this.right = [-sa, ca, 0];
    this.up = [-se * ca, -se * sa, ce];
    this.toEye = [ce * ca, ce * sa, se];
  }

  // Screen position in CSS pixels.
  project(point) {
    const d = subtract(point, this.target);
    return [this.size[0] / 2 + this.scale * dot(d, this.right), this.size[1] / 2 - this.scale * dot(d, this.up)];
  }

  depth(point) {
    return dot(point, this.toEye);
  }

  orbit(dx, dy) {
    this.azimuth -= dx * 0.01;
    this.elevation = Math.min(RIGHT_ANGLE, Math.max(-RIGHT_ANGLE, this.elevation + dy * 0.01));
    this.aim();
  }

  pan(dx, dy) {
    const move = add(scaled(this.right, -dx / this.scale), scaled(this.up, dy / this.scale));
    this.target = add(this.target, move);
  }

  zoom(factor, [x, y] = [this.size[0] / 2, this.size[1] / 2]) {
    const next = Math.min(1e7, Math.max(1e-3, this.scale * factor));
    const share = 1 - this.scale / next;
    // What is under the pointer stays there.
    this.pan((this.size[0] / 2 - x) * share, (this.size[1] / 2 - y) * share);
    this.scale = next;
  }

  // Target and scale that show all of some points, with margins in pixels.
  fit(points, margin, top, right = margin) {
    if (points.length === 0) return;
    const range = (axis) => points.reduce(
      ([low, high], p) => [Math.min(low, dot(p, axis)), Math.max(high, dot(p, axis))],
      [Infinity, -Infinity],
    );
    const [x, y, z] = [this.right, this.up, this.toEye].map(range);
    const middle = ([low, high]) => (low + high) / 2;
    this.target = add(add(scaled(this.right, middle(x)), scaled(this.up, middle(y))), scaled(this.toEye, middle(z)));
    const room = [this.size[0] - margin - right, this.size[1] - margin - top].map((s) => Math.max(40, s));
    const spans = [x[1] - x[0], y[1] - y[0]].map((s) => Math.max(s, 1e-6));
    this.scale = Math.min(room[0] / spans[0], room[1] / spans[1]);
    this.pan((margin - right) / 2, (top - margin) / 2);
  }
}

// Mouse, pen and touch: drag turns, shift or right button or two fingers pan, wheel and pinch zoom.
function attachGestures(canvas, camera, onChange) {
  const pointers = new Map();
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const pinch = () => {
    const [a, b] = [...pointers.values()];
    return { middle: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], span: Math.hypot(a[0] - b[0], a[1] - b[1]) };
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = place(event);
    if (pointers.size === 2) {
      const first = pinch();
      pointers.set(event.pointerId, now);
      const second = pinch();
      camera.pan(second.middle[0] - first.middle[0], second.middle[1] - first.middle[1]);
      if (first.span > 0) camera.zoom(second.span / first.span, second.middle);
    } else if (pointers.size === 1) {
      pointers.set(event.pointerId, now);
      const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
      if (event.shiftKey || event.buttons & 2) camera.pan(dx, dy);
      else camera.orbit(dx, dy);
    }
    onChange();
  });
  for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
  }
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const pixels = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
    camera.zoom(Math.exp(-pixels * 0.0015), place(event));
    onChange();
  }, { passive: false });
}
