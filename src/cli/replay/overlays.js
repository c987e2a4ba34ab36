// What is shown on demand: the centre of mass, the polygon of support, friction cones.

const OVERLAYS = [
  { key: "m", name: "mass", label: "Mass centre", words: "centre of mass, and where it is over the ground" },
  { key: "g", name: "support", label: "Support", words: "polygon of support: the hull of the contacts that carry, seen from above" },
  { key: "x", name: "sites", label: "Sites", words: "all contact sites, those that touch nothing too" },
  { key: "c", name: "cones", label: "Cones", words: "friction cones of the contacts that carry" },
];
// Height of the cones, in sizes of the robot.
const CONE_HEIGHT = 0.16;
const CONE_SIDES = 36;
// More sites hide the robot: those that touch are enough, unless all are wanted.
const MOST_MARKED_SITES = 16;

// Centre of mass of the bodies that move, and their mass; nothing where they have none.
function massCentre(bodies, poses) {
  let mass = 0;
  let sum = [0, 0, 0];
  bodies.forEach((body, i) => {
    if (body.mass <= 0) return;
    mass += body.mass;
    sum = add(sum, scaled(place(poses[i], body.mass_center), body.mass));
  });
  return mass > 0 ? scaled(sum, 1 / mass) : null;
}

// How far a point is inside of a convex polygon, counter-clockwise; negative outside, by the lines of its edges.
function marginInside(hull, [x, y]) {
  if (hull.length < 3) return -Infinity;
  return Math.min(...hull.map((a, i) => {
    const b = hull[(i + 1) % hull.length];
    const [ex, ey] = [b[0] - a[0], b[1] - a[1]];
    return (ex * (y - a[1]) - ey * (x - a[0])) / Math.hypot(ex, ey);
  }));
}

class Overlays {
  constructor(scene) {
    this.scene = scene;
    this.on = new Set(scene.sites.length <= MOST_MARKED_SITES ? ["sites"] : []);
  }

  toggle(name) {
    if (!this.on.delete(name)) this.on.add(name);
  }

  draw(view, { poses, target }, loads) {
    if (this.on.size === 0) return;
    view.withTarget(target, () => {
      const carrying = loads.filter(({ force, normal }) => dot(force, normal) > 0);
      if (this.on.has("cones")) carrying.forEach((load) => this.drawCone(view, load));
      const grounded = carrying.filter(({ contact }) => this.scene.contacts[contact].sites.length === 1);
      const centre = massCentre(this.scene.bodies, poses);
      const hull = convexHull(grounded.map(({ point }) => point));
      const margin = centre && marginInside(hull, centre);
      if (this.on.has("support")) this.drawSupport(view, hull, centre, margin);
      if (this.on.has("mass") && centre) this.drawCentre(view, centre, grounded);
    });
  }

  drawSupport(view, hull, centre, margin) {
    if (hull.length === 0) return;
    const { context, camera } = view;
    const colour = margin >= 0 ? theme.colours.held : theme.colours.ambiguous;
    view.polygon(hull.map((point) => camera.project(point)));
    context.globalAlpha = 0.22;
    context.fillStyle = colour;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.setLineDash(margin >= 0 ? [] : [7, 4]);
    context.stroke();
    context.setLineDash([]);
    if (!centre || !Number.isFinite(margin)) return;
    const words = `mass centre ${formatNumber(1000 * Math.abs(margin), 3)}\u00a0mm ${margin >= 0 ? "inside" : "outside"}`;
    const lowest = hull.map((point) => camera.project(point)).reduce((a, b) => (b[1] > a[1] ? b : a));
    view.note(words, lowest[0], lowest[1] + 16, colour);
  }

  drawCentre(view, centre, grounded) {
    const { context, camera } = view;
    const ground = grounded.length
      ? grounded.reduce((sum, { point }) => sum + point[2], 0) / grounded.length : view.groundHeight(centre);
    const [x, y] = camera.project(centre);
    if (ground !== null) {
      const [gx, gy] = camera.project([centre[0], centre[1], ground]);
      context.strokeStyle = theme.colours.ink;
      context.lineWidth = 1.5;
      context.setLineDash([4, 3]);
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(gx, gy);
      context.stroke();
      context.setLineDash([]);
      context.beginPath();
      context.moveTo(gx - 6, gy);
      context.lineTo(gx + 6, gy);
      context.moveTo(gx, gy - 6);
      context.lineTo(gx, gy + 6);
      context.stroke();
    }
    // The usual sign: a disc of two dark and two light quarters.
    for (let quarter = 0; quarter < 4; quarter += 1) {
      context.beginPath();
      context.moveTo(x, y);
      context.arc(x, y, 8, (quarter * Math.PI) / 2, ((quarter + 1) * Math.PI) / 2);
      context.fillStyle = quarter % 2 ? theme.colours.ink : theme.colours.ground;
      context.fill();
    }
    context.beginPath();
    context.arc(x, y, 8, 0, 2 * Math.PI);
    context.strokeStyle = theme.colours.ink;
    context.lineWidth = 1.5;
    context.stroke();
  }

  drawCone(view, { contact, point, normal }) {
    const { friction } = this.scene.contacts[contact];
    if (!(friction > 0)) return;
    const { context, camera } = view;
    // Of one length along the side, so that wide cones are not larger.
    const height = (CONE_HEIGHT * view.robotSize) / Math.hypot(1, friction);
    const helper = Math.abs(normal[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
    const raw = cross(normal, helper);
    const first = scaled(raw, (friction * height) / length(raw));
    const second = cross(normal, first);
    const top = add(point, scaled(normal, height));
    const rim = Array.from({ length: CONE_SIDES }, (_, i) => {
      const angle = (2 * Math.PI * i) / CONE_SIDES;
      return camera.project(add(top, add(scaled(first, Math.cos(angle)), scaled(second, Math.sin(angle)))));
    });
    const outline = (points, alpha) => {
      view.polygon(points);
      context.globalAlpha = alpha;
      context.fillStyle = theme.colours.accent;
      context.fill();
      context.globalAlpha = 0.8;
      context.strokeStyle = theme.colours.accent;
      context.lineWidth = 1;
      context.stroke();
      context.globalAlpha = 1;
    };
    outline(convexHull([camera.project(point), ...rim]), 0.14);
    outline(rim, 0.14);
  }
}
