// Meshes and all other solids with a depth buffer, where the browser has WebGL; drawn into a picture of their own that
// the scene takes over.

const SOLID_VERTEX = `#version 300 es
in vec3 place;
uniform mat3 turned;
uniform vec3 moved;
uniform mat3 view;
uniform vec3 target;
uniform vec3 scale;
out vec3 world;
void main() {
  world = turned * place + moved - target;
  gl_Position = vec4(view * world * scale, 1.0);
}`;
const SOLID_FRAGMENT = `#version 300 es
precision highp float;
in vec3 world;
uniform vec3 colour;
uniform vec3 light;
uniform vec3 eye;
out vec4 shown;
void main() {
  vec3 normal = normalize(cross(dFdx(world), dFdy(world)));
  if (dot(normal, eye) < 0.0) normal = -normal;
  shown = vec4(colour * (0.58 + 0.46 * max(0.0, dot(normal, light))), 1.0);
}`;
const BALL_RINGS = 16;
const STICK_SIDES = 10;
// Thickness of sticks, in sizes of the robot.
const STICK_SHARE = 0.008;

const unpackWhole = (text, width) => unpack(text, width, (view, at) => (width === 2 ? view.getUint16(at, true) : view.getUint32(at, true)));

// Pieces of the meshes of a scene: one for every colour of each mesh on a body.
function meshPieces(scene, tone) {
  const corners = scene.triangles.map(({ vertices, low, step }) =>
    Float32Array.from(unpackWhole(vertices, 2), (x, i) => low[i % 3] + step[i % 3] * x));
  const parts = scene.triangles.map(({ parts: list, wide }) => list.map(({ color, triangles }) =>
    ({ color, indices: Uint32Array.from(unpackWhole(triangles, wide ? 4 : 2)) })));
  return scene.meshes.flatMap(({ body, mesh, color, rotation, translation }) => {
    const own = { r: rotation, t: translation };
    const points = new Float32Array(corners[mesh].length);
    for (let i = 0; i < points.length; i += 3) points.set(place(own, corners[mesh].subarray(i, i + 3)), i);
    const vertices = extremes(points);
    const centre = scaled(vertices.reduce(add), 1 / vertices.length);
    const reach = Math.max(...vertices.map((v) => length(subtract(v, centre))));
    return parts[mesh].map((part, k) => ({
      body, kind: "triangles", centre, reach, tone: tone(body), points, indices: part.indices,
      color: toBytes(part.color ?? color), vertices: k === 0 ? vertices : [],
    }));
  });
}

const toBytes = (color) => (color ? color.map((c) => 255 * c) : undefined);

// The points that reach farthest in directions all around: the outline of their hull, about.
function extremes(points) {
  const found = [];
  for (let i = -1; i <= 1; i += 1) {
    for (let j = -1; j <= 1; j += 1) {
      for (let k = -1; k <= 1; k += 1) {
        if (i === 0 && j === 0 && k === 0) continue;
        let best = 0;
        let most = -Infinity;
        for (let p = 0; p < points.length; p += 3) {
          const reach = i * points[p] + j * points[p + 1] + k * points[p + 2];
          if (reach > most) [best, most] = [p, reach];
        }
        found.push([points[best], points[best + 1], points[best + 2]]);
      }
    }
  }
  return found;
}

// Triangles of a piece: coordinates and indices.
function trianglesOf(piece, thickness) {
  if (piece.kind === "triangles") return { points: piece.points, indices: piece.indices };
  const points = [];
  const indices = [];
  if (piece.kind === "mesh") {
    piece.vertices.forEach((v) => points.push(...v));
    for (const { around } of piece.faces) {
      for (let i = 2; i < around.length; i += 1) indices.push(around[0], around[i - 1], around[i]);
    }
  } else if (piece.kind === "ball") {
    const columns = 2 * BALL_RINGS;
    for (let i = 0; i <= BALL_RINGS; i += 1) {
      const [s, c] = [Math.sin((Math.PI * i) / BALL_RINGS), Math.cos((Math.PI * i) / BALL_RINGS)];
      for (let j = 0; j <= columns; j += 1) {
        const angle = (2 * Math.PI * j) / columns;
        points.push(...add(piece.centre, scaled([s * Math.cos(angle), s * Math.sin(angle), c], piece.radius)));
        if (i === BALL_RINGS || j === columns) continue;
        const at = i * (columns + 1) + j;
        indices.push(at, at + columns + 1, at + 1, at + 1, at + columns + 1, at + columns + 2);
      }
    }
  } else {
    const along = subtract(piece.to, piece.from);
    const size = length(along) || 1;
    const helper = Math.abs(along[0]) < 0.9 * size ? [1, 0, 0] : [0, 1, 0];
    const raw = cross(along, helper);
    const first = scaled(raw, Math.max(piece.thickness, thickness) / (length(raw) || 1));
    const second = scaled(cross(along, first), 1 / size);
    for (let i = 0; i < STICK_SIDES; i += 1) {
      const angle = (2 * Math.PI * i) / STICK_SIDES;
      const out = add(scaled(first, Math.cos(angle)), scaled(second, Math.sin(angle)));
      points.push(...add(piece.from, out), ...add(piece.to, out));
      const [a, b] = [2 * i, 2 * ((i + 1) % STICK_SIDES)];
      indices.push(a, b, b + 1, a, b + 1, a + 1);
    }
  }
  return { points: Float32Array.from(points), indices: Uint32Array.from(indices) };
}

class Solids {
  // Nothing for a scene without meshes, or where there is no WebGL.
  static make(pieces, robotSize) {
    if (!pieces.some(({ kind }) => kind === "triangles")) return null;
    const canvas = document.createElement("canvas");
    const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!gl) return null;
    try {
      return new Solids(canvas, gl, pieces, robotSize);
    } catch (error) {
      console.info(`without WebGL: ${error.message}`);
      return null;
    }
  }

  constructor(canvas, gl, pieces, robotSize) {
    this.canvas = canvas;
    this.gl = gl;
    this.program = this.link();
    const place = gl.getAttribLocation(this.program, "place");
    const names = ["turned", "moved", "view", "target", "scale", "colour", "light", "eye"];
    this.at = Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(this.program, name)]));
    const shared = new Map();
    this.solids = pieces.map((piece) => {
      const { points, indices } = trianglesOf(piece, STICK_SHARE * robotSize);
      const array = gl.createVertexArray();
      gl.bindVertexArray(array);
      if (!shared.has(points)) {
        const buffer = gl.createBuffer();
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.bufferData(gl.ARRAY_BUFFER, points, gl.STATIC_DRAW);
        shared.set(points, buffer);
      }
      gl.bindBuffer(gl.ARRAY_BUFFER, shared.get(points));
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 0, 0);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
      gl.bindVertexArray(null);
      return { piece, array, count: indices.length };
    });
  }

  link() {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, SOLID_VERTEX], [gl.FRAGMENT_SHADER, SOLID_FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) || "no program");
    return program;
  }

  // A picture of the solids, as large as the view; `depth` is how far from the target they may be [m].
  draw(camera, poses, colourOf, depth) {
    const { gl, canvas, at } = this;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = camera.size.map((s) => Math.max(1, Math.round(s * ratio)));
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.enable(gl.DEPTH_TEST);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.program);
    const { right, up, toEye } = camera;
    // By columns.
    gl.uniformMatrix3fv(at.view, false, [0, 1, 2].flatMap((k) => [right[k], up[k], toEye[k]]));
    gl.uniform3fv(at.target, camera.target);
    gl.uniform3f(at.scale, (2 * camera.scale) / camera.size[0], (2 * camera.scale) / camera.size[1], -1 / depth);
    gl.uniform3fv(at.light, LIGHT);
    gl.uniform3fv(at.eye, toEye);
    for (const { piece, array, count } of this.solids) {
      const { r, t } = poseOf(poses, piece.body);
      gl.uniformMatrix3fv(at.turned, false, [0, 1, 2].flatMap((k) => [r[k], r[3 + k], r[6 + k]]));
      gl.uniform3fv(at.moved, t);
      gl.uniform3fv(at.colour, colourOf(piece).map((c) => c / 255));
      gl.bindVertexArray(array);
      gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
    }
    gl.bindVertexArray(null);
    return canvas;
  }
}
