// The robot as pieces that can be drawn: convex meshes, balls, sticks and arcs on bodies.
//
// A piece is { body, kind, centre, reach, tone, … } with lengths in the body's frame.

const CYLINDER_SIDES = 20;
const ARC_PIECES = 28;

const vertexAt = (shape, point) => add(turn(shape.rotation, point), shape.translation);

function mesh(shape, points, faces, tone) {
  const vertices = points.map((point) => vertexAt(shape, point));
  const centre = shape.translation;
  return {
    body: shape.body,
    kind: "mesh",
    centre,
    reach: Math.max(...vertices.map((v) => length(subtract(v, centre)))),
    tone,
    vertices,
    faces: faces.map(({ around, normal }) => ({ around, normal: turn(shape.rotation, normal) })),
  };
}

function boxPiece(shape, tone) {
  const half = shape.size.map((s) => s / 2);
  const points = [];
  for (let i = 0; i < 8; i += 1) points.push(half.map((h, k) => (i >> k & 1 ? h : -h)));
  const faces = [];
  for (let axis = 0; axis < 3; axis += 1) {
    const [a, b] = [1 << (axis + 1) % 3, 1 << (axis + 2) % 3];
    for (const side of [0, 1]) {
      const base = side << axis;
      const normal = [0, 0, 0];
      normal[axis] = side ? 1 : -1;
      faces.push({ around: [base, base + a, base + a + b, base + b], normal });
    }
  }
  return mesh(shape, points, faces, tone);
}

function cylinderPiece(shape, tone) {
  const [radius, height] = shape.size;
  const points = [];
  const faces = [];
  const n = CYLINDER_SIDES;
  for (let i = 0; i < n; i += 1) {
    const angle = (2 * Math.PI * i) / n;
    const [x, y] = [radius * Math.cos(angle), radius * Math.sin(angle)];
    points.push([x, y, -height / 2], [x, y, height / 2]);
    const next = (i + 1) % n;
    const middle = angle + Math.PI / n;
    faces.push({ around: [2 * i, 2 * next, 2 * next + 1, 2 * i + 1], normal: [Math.cos(middle), Math.sin(middle), 0] });
  }
  const ring = Array.from({ length: n }, (_, i) => 2 * i);
  faces.push({ around: ring, normal: [0, 0, -1] }, { around: ring.map((i) => i + 1), normal: [0, 0, 1] });
  return mesh(shape, points, faces, tone);
}

function ballPiece(body, centre, radius, rotation, tone) {
  return { body, kind: "ball", centre, reach: radius, radius, rotation, tone };
}

function shapePieces(shape, tone) {
  const color = toBytes(shape.color);
  return plainPieces(shape, tone).map((piece) => ({ ...piece, color }));
}

function plainPieces(shape, tone) {
  if (shape.kind === "sphere") {
    return [ballPiece(shape.body, shape.translation, shape.size[0], shape.rotation, tone)];
  }
  if (shape.kind === "box") return [boxPiece(shape, tone)];
  const pieces = [cylinderPiece(shape, tone)];
  if (shape.kind === "capsule") {
    for (const end of [-0.5, 0.5]) {
      const centre = vertexAt(shape, [0, 0, end * shape.size[1]]);
      pieces.push(ballPiece(shape.body, centre, shape.size[0], shape.rotation, tone));
    }
  }
  return pieces;
}

function arcPoints(site) {
  const [start, end] = site.range;
  return Array.from({ length: ARC_PIECES + 1 }, (_, i) => {
    const angle = start + ((end - start) * i) / ARC_PIECES;
    const out = add(scaled(site.axes[0], Math.cos(angle)), scaled(site.axes[1], Math.sin(angle)));
    return add(site.center, scaled(out, site.radius));
  });
}

// An arc on a body without shapes is drawn as the leg that it is, others as marks on the shapes.
function isLeg(scene, site) {
  return site.kind === "arc" && ![...scene.shapes, ...scene.meshes].some((shape) => shape.body === site.body);
}

// Arcs are drawn piece by piece, each at its own depth.
function arcPieces(site, index, tone) {
  const points = arcPoints(site);
  return points.slice(1).map((to, i) => {
    const from = points[i];
    return {
      body: site.body, kind: "stick", site: index, from, to, thickness: site.thickness,
      centre: scaled(add(from, to), 0.5), reach: length(subtract(to, from)) / 2 + site.thickness, tone,
    };
  });
}

// Which tone a body has: the base is the first body with a shape, and what one of its children carries
// looks alike.
function bodyTones(scene) {
  const base = [...scene.shapes, ...scene.meshes].map(({ body }) => body)
    .reduce((least, body) => (body !== null && (least === null || body < least) ? body : least), null);
  const trunk = new Set();
  for (let i = base; i !== null; i = scene.bodies[i].parent) trunk.add(i);
  let branches = 0;
  const tones = [];
  scene.bodies.forEach(({ parent }, i) => {
    if (trunk.has(i) || parent === null) tones.push(0);
    else if (tones[parent] !== 0) tones.push(tones[parent]);
    else {
      tones.push(1 + (branches % 3));
      branches += 1;
    }
  });
  return tones;
}

function makePieces(scene) {
  const tones = bodyTones(scene);
  const tone = (body) => (body === null ? 0 : tones[body]);
  const pieces = scene.shapes.flatMap((shape) => shapePieces(shape, tone(shape.body)));
  pieces.push(...meshPieces(scene, tone));
  for (const { body, from, to } of scene.sticks) {
    pieces.push({
      body, kind: "stick", from, to, thickness: 0, tone: tone(body),
      centre: scaled(add(from, to), 0.5), reach: length(subtract(to, from)) / 2,
    });
  }
  scene.sites.forEach((site, i) => {
    if (isLeg(scene, site)) pieces.push(...arcPieces(site, i, tone(site.body)));
  });
  return pieces;
}

// Convex hull of points in the plane, counter-clockwise.
function convexHull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list) => {
    const kept = [];
    for (const p of list) {
      while (kept.length > 1) {
        const [a, b] = kept.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        kept.pop();
      }
      kept.push(p);
    }
    return kept.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}
