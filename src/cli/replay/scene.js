// Draws robot and terrain on a canvas: convex pieces from far to near, shadows on the ground.

const TONES = {
  light: [[134, 147, 163], [176, 160, 136], [147, 167, 158], [166, 152, 178]],
  dark: [[150, 163, 178], [182, 167, 144], [150, 176, 164], [176, 161, 188]],
};
const LIGHT = scaled([-0.35, -0.5, 0.8], 1 / length([-0.35, -0.5, 0.8]));
const SAMPLED_FRAMES = 120;
const BUTTONS_WIDTH = 64;
// Half the opening of the spots on balls, seen from their centre.
const SPOT_ANGLE = 0.2;

const rgb = (colour, factor, alpha = 1) =>
  `rgba(${colour.map((c) => Math.min(255, Math.round(c * factor))).join(",")},${alpha})`;

function terrainBox({ min, max }) {
  const shape = { body: null, size: subtract(max, min), rotation: IDENTITY_POSE.r, translation: scaled(add(min, max), 0.5) };
  return { ...boxPiece(shape, 0), terrain: true };
}

const terrainPieces = (scene) => scene.terrain.filter((piece) => piece.kind === "box").map(terrainBox);

// Red, green and blue of a colour of the style sheet.
function bytesOfColour(text) {
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = text;
  return [1, 3, 5].map((i) => parseInt(probe.fillStyle.slice(i, i + 2), 16));
}

class SceneView {
  constructor(canvas, scene, motion) {
    this.canvas = canvas;
    this.scene = scene;
    this.motion = motion;
    this.camera = new Camera();
    this.pieces = makePieces(scene);
    this.planes = scene.terrain.filter((piece) => piece.kind === "plane");
    this.marked = scene.sites.map((site, i) => ({ site, i })).filter(({ site }) => !isLeg(scene, site));
    this.measure();
    this.solids = Solids.make([...this.pieces, ...terrainPieces(scene)], this.robotSize);
  }

  // Extent of the robot and of its path.
  measure() {
    const times = this.motion.times;
    const step = Math.max(1, Math.ceil(times.length / SAMPLED_FRAMES));
    const bodies = this.pieces.map((piece) => piece.body).filter((body) => body !== null);
    this.base = bodies.length ? Math.min(...bodies) : null;
    this.cloud = [];
    for (let i = 0; i < times.length; i += step) this.cloud.push(this.cloudAt(times[i]));
    const size = (points) => [0, 1, 2].map((k) => {
      const values = points.map((p) => p[k]);
      return Math.max(...values) - Math.min(...values);
    });
    const largest = Math.max(...size(this.cloud[0]?.points ?? [[0, 0, 0]]));
    this.robotSize = largest > 0 ? largest : 1;
    const middles = this.cloud.map(({ points }) => scaled(points.reduce(add), 1 / points.length));
    const path = size(middles.length ? middles : [[0, 0, 0]]);
    this.pathSize = Math.max(...path);
    const roots = this.scene.bodies.filter((body) => body.parent === null).length;
    this.follow = roots === 1 && Math.max(...path) > 2.5 * this.robotSize;
    const heights = (this.cloud[0]?.points ?? []).map((p) => p[2]);
    this.lowest = Math.min(0, ...(this.scene.base === "fixed" ? [] : heights));
  }

  // The axis along which nothing moves: y before z, as robots are mostly drawn from their side.
  stillAxis() {
    if (this.scene.bodies.some((body) => body.kind === "floating")) return -1;
    const still = (k) => {
      const first = this.cloud[0].points;
      return this.cloud.every(({ points }) => points.every((p, i) => Math.abs(p[k] - first[i][k]) < 1e-6 * this.robotSize));
    };
    return this.cloud.length ? [1, 2, 0].find(still) ?? -1 : -1;
  }

  // Points on the outside of the robot, and where its base is.
  cloudAt(time) {
    const poses = this.motion.poses(time);
    const points = this.pieces.flatMap((piece) => {
      if (piece.kind === "triangles") return piece.vertices.map((v) => place(poseOf(poses, piece.body), v));
      const centre = place(poseOf(poses, piece.body), piece.centre);
      return [0, 1, 2].flatMap((k) => [-1, 1].map((side) => {
        const point = [...centre];
        point[k] += side * piece.reach;
        return point;
      }));
    });
    for (const { body, center } of this.scene.sites) points.push(place(poseOf(poses, body), center));
    if (points.length === 0) points.push(...poses.map((pose) => pose.t), [0, 0, 0]);
    return { points, base: this.basePoint(poses) };
  }

  // What the view follows: the ground below the base, or the base itself where there is no plane below it.
  basePoint(poses) {
    if (this.base === null) return [0, 0, 0];
    const point = poses[this.base].t;
    return [point[0], point[1], this.groundHeight(point) ?? point[2]];
  }

  // Height of the highest plane below or above a point; none where no plane is ground.
  groundHeight([x, y]) {
    const heights = this.planes.filter(({ normal }) => normal[2] > 0.2)
      .map(({ point, normal }) => point[2] - (normal[0] * (x - point[0]) + normal[1] * (y - point[1])) / normal[2]);
    return heights.length ? Math.max(...heights) : null;
  }

  resize() {
    const box = this.canvas.getBoundingClientRect();
    this.camera.size = [box.width, box.height];
  }

  // Shows the whole path, or, when the view follows the robot, the robot wherever it is.
  fit() {
    this.resize();
    const origin = this.cloud[0]?.base ?? [0, 0, 0];
    const points = this.cloud.flatMap(({ points: outside, base }) => {
      const back = this.follow ? subtract(origin, base) : [0, 0, 0];
      return outside.map((point) => add(point, back));
    });
    const margin = Math.min(64, 0.13 * Math.min(...this.camera.size));
    // Buttons stand at the right of a wide view.
    this.camera.fit(points, margin, margin + 24, innerWidth < 900 ? margin : margin + BUTTONS_WIDTH);
    this.origin = origin;
  }

  draw(time, states, allSites) {
    this.allSites = allSites;
    this.resize();
    const { camera } = this;
    const [width, height] = camera.size;
    const context = fitCanvas(this.canvas, width, height);
    this.context = context;
    const poses = this.motion.poses(time);
    const kept = camera.target;
    if (this.follow && this.origin) camera.target = add(kept, subtract(this.basePoint(poses), this.origin));
    this.tones = theme.dark ? TONES.dark : TONES.light;
    const { planes } = this;
    // From its edge a grid that is no ground would be a line through the robot.
    if (planes.length === 0 && Math.abs(camera.toEye[2]) >= 0.1) this.drawPlane({ point: [0, 0, this.lowest], normal: [0, 0, 1] }, true);
    if (this.scene.base === "fixed") this.drawBaseMarker();
    const seenFromAbove = (plane) => dot(plane.normal, camera.toEye) > -1e-9;
    planes.filter(seenFromAbove).forEach((plane) => this.drawPlane(plane));
    drawHeights(this);
    if (planes.length && dot(planes[0].normal, camera.toEye) > 0.05) this.drawShadow(poses, planes[0]);
    this.drawSolids(poses, states);
    planes.filter((plane) => !seenFromAbove(plane)).forEach((plane) => this.drawPlane(plane));
    this.drawSites(poses, states);
    const drawn = { poses, target: camera.target };
    camera.target = kept;
    return drawn;
  }

  // Draws something with the target that the last drawing had.
  withTarget(target, draw) {
    const kept = this.camera.target;
    this.camera.target = target;
    draw();
    this.camera.target = kept;
  }

  polygon(points) {
    const { context } = this;
    context.beginPath();
    points.forEach(([x, y]) => context.lineTo(x, y));
    context.closePath();
  }

  // A square piece of a plane around the target, with a grid that is fixed in the world.
  drawPlane({ point, normal }, open = false) {
    const { camera, context } = this;
    const helper = Math.abs(normal[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
    const raw = subtract(helper, scaled(normal, dot(helper, normal)));
    const first = scaled(raw, 1 / length(raw));
    const second = cross(normal, first);
    const reach = this.follow ? 2.2 * this.robotSize : 0.5 * this.pathSize + 1.4 * this.robotSize;
    const { step } = ticks(0, 2 * reach, 14);
    const centre = subtract(camera.target, point);
    const middle = [dot(centre, first), dot(centre, second)].map((c) => Math.round(c / step) * step);
    const count = Math.ceil(reach / step);
    const at = (a, b) => camera.project(add(point, add(scaled(first, a), scaled(second, b))));
    const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
      .map(([a, b]) => at(middle[0] + a * count * step, middle[1] + b * count * step));
    if (!open) {
      this.polygon(corners);
      context.fillStyle = theme.colours.panel;
      context.fill();
    }
    context.lineWidth = 1;
    for (let k = -count; k <= count; k += 1) {
      for (const along of [0, 1]) {
        const value = middle[along] + k * step;
        const other = middle[1 - along];
        const ends = [-count, count].map((e) => (along === 0
          ? at(value, other + e * step) : at(other + e * step, value)));
        context.strokeStyle = Math.abs(value) < 1e-6 * step ? theme.colours.muted : theme.colours.line;
        context.beginPath();
        context.moveTo(...ends[0]);
        context.lineTo(...ends[1]);
        context.stroke();
      }
    }
    // Seen from its edge, a plane is a line.
    if (Math.abs(dot(normal, camera.toEye)) < 0.02) {
      context.strokeStyle = theme.colours.muted;
      context.lineWidth = 2;
      this.polygon(corners);
      context.stroke();
    }
  }

  // Where a fixed robot stands: a disc with hatching at the world's origin.
  drawBaseMarker() {
    const { camera, context } = this;
    const radius = 0.09 * this.robotSize;
    if (Math.abs(camera.toEye[2]) < 0.1) {
      this.drawBaseFromSide(radius * camera.scale);
      return;
    }
    const at = (x, y) => camera.project([radius * x, radius * y, 0]);
    const rim = Array.from({ length: 40 }, (_, i) => at(Math.cos((Math.PI * i) / 20), Math.sin((Math.PI * i) / 20)));
    context.save();
    this.polygon(rim);
    context.fillStyle = theme.colours.panel;
    context.fill();
    context.strokeStyle = theme.colours.muted;
    context.lineWidth = 1.5;
    context.stroke();
    context.clip();
    context.lineWidth = 1;
    context.beginPath();
    for (let k = -7; k <= 7; k += 1) {
      context.moveTo(...at(0.28 * k - 1, -1));
      context.lineTo(...at(0.28 * k + 1, 1));
    }
    context.stroke();
    context.restore();
  }

  // The same seen along the ground: a line with hatching below.
  drawBaseFromSide(reach) {
    const { camera, context } = this;
    const [x, y] = camera.project([0, 0, 0]);
    context.strokeStyle = theme.colours.muted;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x - reach, y);
    context.lineTo(x + reach, y);
    context.stroke();
    context.lineWidth = 1;
    context.beginPath();
    for (let k = -4; k <= 4; k += 1) {
      context.moveTo(x + (k * reach) / 4, y);
      context.lineTo(x + (k * reach) / 4 - reach / 4, y + reach / 3);
    }
    context.stroke();
  }

  drawShadow(poses, { point, normal }) {
    const { camera, context } = this;
    const onPlane = (p) => camera.project(subtract(p, scaled(normal, dot(subtract(p, point), normal))));
    context.beginPath();
    for (const piece of this.pieces) {
      const pose = poseOf(poses, piece.body);
      let outline;
      if (piece.kind === "mesh" || piece.vertices?.length) outline = piece.vertices.map((v) => onPlane(place(pose, v)));
      else if (piece.kind === "ball") outline = this.ballOutline(place(pose, piece.centre), piece.radius, normal).map(onPlane);
      else continue;
      const hull = convexHull(outline);
      hull.forEach(([x, y], i) => (i === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
      context.closePath();
    }
    context.fillStyle = theme.dark ? "rgba(0,0,0,0.4)" : "rgba(20,30,40,0.13)";
    context.fill("nonzero");
  }

  // The widest circle of a ball above a plane.
  ballOutline(centre, radius, normal) {
    const helper = Math.abs(normal[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
    const raw = cross(normal, helper);
    const first = scaled(raw, radius / length(raw));
    const second = cross(normal, first);
    return Array.from({ length: 24 }, (_, i) => {
      const angle = (2 * Math.PI * i) / 24;
      return add(centre, add(scaled(first, Math.cos(angle)), scaled(second, Math.sin(angle))));
    });
  }

  // Pieces from far to near; a box of terrain comes after everything that is behind it.
  drawSolids(poses, states) {
    const { camera } = this;
    if (this.solids) {
      const depth = 4 * (this.pathSize + 20 * this.robotSize);
      const picture = this.solids.draw(camera, poses, (piece) => this.colourOf(piece, states), depth);
      this.context.drawImage(picture, 0, 0, ...camera.size);
      this.scene.springs.forEach((spring) => this.drawSpring(spring, poses));
      return;
    }
    let left = this.pieces.map((piece) => {
      const centre = place(poseOf(poses, piece.body), piece.centre);
      return { piece, centre, depth: camera.depth(centre) };
    }).sort((a, b) => a.depth - b.depth);
    const boxes = this.scene.terrain.filter((piece) => piece.kind === "box")
      .map((box) => ({ box, depth: camera.depth(scaled(add(box.min, box.max), 0.5)) }))
      .sort((a, b) => a.depth - b.depth);
    for (const { box } of boxes) {
      const behind = left.filter(({ centre }) => !this.inFront(centre, box));
      left = left.filter((entry) => !behind.includes(entry));
      behind.forEach(({ piece }) => this.drawPiece(piece, poses, states));
      this.drawBox(box);
    }
    left.forEach(({ piece }) => this.drawPiece(piece, poses, states));
    this.scene.springs.forEach((spring) => this.drawSpring(spring, poses));
  }

  // Whether a point lies outside of a face of the box that the eye sees.
  inFront(point, { min, max }) {
    const toEye = this.camera.toEye;
    return [0, 1, 2].some((k) => (toEye[k] > 1e-9 && point[k] > max[k]) || (toEye[k] < -1e-9 && point[k] < min[k]));
  }

  drawBox(box) {
    this.drawMesh(terrainBox(box), IDENTITY_POSE, this.terrainColour());
  }

  terrainColour() {
    return theme.dark ? [66, 76, 87] : [214, 220, 227];
  }

  colourOf(piece, states) {
    if (piece.terrain) return this.terrainColour();
    const state = piece.site === undefined ? undefined : states.get(piece.site);
    return state ? bytesOfColour(theme.colours[state]) : piece.color ?? this.tones[piece.tone];
  }

  drawPiece(piece, poses, states) {
    const pose = poseOf(poses, piece.body);
    const colour = piece.color ?? this.tones[piece.tone];
    if (piece.kind === "triangles") this.drawTriangles(piece, pose, colour);
    else if (piece.kind === "mesh") this.drawMesh(piece, pose, colour);
    else if (piece.kind === "ball") this.drawBall(piece, pose, colour);
    else this.drawStick(piece, pose, colour, states);
  }

  drawMesh(piece, pose, colour) {
    const { camera, context } = this;
    const vertices = piece.vertices.map((v) => camera.project(place(pose, v)));
    context.lineJoin = "round";
    context.lineWidth = 0.8;
    for (const { around, normal } of piece.faces) {
      const outward = turn(pose.r, normal);
      if (dot(outward, camera.toEye) <= 1e-6) continue;
      const shade = rgb(colour, 0.62 + 0.42 * Math.max(0, dot(outward, LIGHT)));
      this.polygon(around.map((i) => vertices[i]));
      context.fillStyle = shade;
      context.strokeStyle = piece.faces.length > 6 ? shade : rgb(colour, 0.5);
      context.fill();
      context.stroke();
    }
  }

  // Without WebGL: triangles that face the eye, from far to near.
  drawTriangles({ points, indices }, pose, colour) {
    const { camera, context } = this;
    const at = [];
    for (let i = 0; i < points.length; i += 3) at.push(place(pose, points.subarray(i, i + 3)));
    const shown = [];
    for (let i = 0; i < indices.length; i += 3) {
      const corners = [at[indices[i]], at[indices[i + 1]], at[indices[i + 2]]];
      const normal = cross(subtract(corners[1], corners[0]), subtract(corners[2], corners[0]));
      if (dot(normal, camera.toEye) > 0) shown.push({ corners, normal, depth: camera.depth(corners[0]) });
    }
    shown.sort((a, b) => a.depth - b.depth);
    for (const { corners, normal } of shown) {
      this.polygon(corners.map((corner) => camera.project(corner)));
      context.fillStyle = rgb(colour, 0.62 + 0.42 * Math.max(0, dot(normal, LIGHT) / length(normal)));
      context.fill();
    }
  }

  drawBall(piece, pose, colour) {
    const { camera, context } = this;
    const [x, y] = camera.project(place(pose, piece.centre));
    const radius = Math.max(1, piece.radius * camera.scale);
    const spot = [dot(LIGHT, camera.right), -dot(LIGHT, camera.up)].map((c) => 0.45 * radius * c);
    const shade = context.createRadialGradient(x + spot[0], y + spot[1], 0.1 * radius, x, y, radius);
    shade.addColorStop(0, rgb(colour, 1.15));
    shade.addColorStop(1, rgb(colour, 0.66));
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = shade;
    context.fill();
    context.strokeStyle = rgb(colour, 0.5);
    context.lineWidth = 0.8;
    context.stroke();
    // Spots show how it turns.
    const pole = Math.cos(SPOT_ANGLE);
    const rim = Math.sin(SPOT_ANGLE);
    context.fillStyle = rgb(colour, 0.55, 0.55);
    for (const [along, across] of [[0, 2], [2, 0]]) {
      for (const side of [-1, 1]) {
        const points = Array.from({ length: 16 }, (_, i) => {
          const local = [0, rim * Math.sin((Math.PI * i) / 8), 0];
          local[along] = side * pole;
          local[across] = rim * Math.cos((Math.PI * i) / 8);
          return turn(pose.r, turn(piece.rotation, local));
        });
        if (points.some((out) => dot(out, camera.toEye) < 0)) continue;
        this.polygon(points.map((out) => camera.project(add(place(pose, piece.centre), scaled(out, piece.radius)))));
        context.fill();
      }
    }
  }

  drawStick(piece, pose, colour, states) {
    const { camera, context } = this;
    const least = piece.site === undefined ? 0.016 : 0.02;
    context.lineWidth = Math.max(3, 2 * piece.thickness * camera.scale, least * this.robotSize * camera.scale);
    const state = piece.site === undefined ? undefined : states.get(piece.site);
    context.strokeStyle = state ? theme.colours[state] : rgb(colour, piece.site === undefined ? 0.75 : 0.62);
    context.lineCap = "round";
    context.beginPath();
    context.moveTo(...camera.project(place(pose, piece.from)));
    context.lineTo(...camera.project(place(pose, piece.to)));
    context.stroke();
    context.lineCap = "butt";
  }

  // A zigzag of ten turns.
  drawSpring({ bodies, points }, poses) {
    const { context } = this;
    const ends = [0, 1].map((i) => this.camera.project(place(poseOf(poses, bodies[i]), points[i])));
    const along = [ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]];
    const size = Math.hypot(...along) || 1;
    const across = [-along[1] / size, along[0] / size];
    context.beginPath();
    context.moveTo(...ends[0]);
    for (let i = 1; i < 20; i += 1) {
      const side = 5 * (i % 2 ? 1 : -1);
      context.lineTo(ends[0][0] + (along[0] * i) / 20 + across[0] * side, ends[0][1] + (along[1] * i) / 20 + across[1] * side);
    }
    context.lineTo(...ends[1]);
    context.strokeStyle = theme.colours.muted;
    context.lineWidth = 1.5;
    context.stroke();
  }

  // Points and balls that can touch; what is held or strikes is filled.
  drawSites(poses, states) {
    const { camera, context } = this;
    for (const { site, i } of this.marked) {
      if (site.kind === "arc") {
        this.drawArcMark(site, poseOf(poses, site.body), states.get(i));
        continue;
      }
      const [x, y] = camera.project(place(poseOf(poses, site.body), site.center));
      const state = states.get(i);
      if (!state && !this.allSites) continue;
      const radius = Math.max(site.radius * camera.scale, 3.5);
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.lineWidth = state ? 2.2 : 1.2;
      context.strokeStyle = state ? theme.colours[state] : theme.colours.muted;
      if (site.kind === "point") {
        context.fillStyle = state ? theme.colours[state] : theme.colours.ground;
        context.fill();
      } else if (!state) {
        continue;
      }
      context.stroke();
    }
  }

  // A short text with a rim, so that it can be read over everything.
  note(text, x, y, colour) {
    const { context, camera } = this;
    context.font = `600 13px ${theme.font}`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    const width = context.measureText(text).width;
    const left = Math.min(Math.max(4, x - width / 2), camera.size[0] - width - 4);
    context.lineWidth = 4;
    context.lineJoin = "round";
    context.strokeStyle = theme.colours.ground;
    context.strokeText(text, left, y);
    context.fillStyle = colour;
    context.fillText(text, left, y);
  }

  drawArcMark(site, pose, state) {
    const { camera, context } = this;
    if (!state) return;
    context.beginPath();
    arcPoints(site).forEach((point) => context.lineTo(...camera.project(place(pose, point))));
    context.strokeStyle = theme.colours[state];
    context.lineWidth = 2.5;
    context.stroke();
  }
}
