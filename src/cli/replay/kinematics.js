// Where bodies are: configurations over time, and forward kinematics.
//
// A pose is { r, t }: rotation by rows (9 numbers) and translation, x_world = r x + t.

const IDENTITY_POSE = { r: [1, 0, 0, 0, 1, 0, 0, 0, 1], t: [0, 0, 0] };

function turn(r, [x, y, z]) {
  return [
    r[0] * x + r[1] * y + r[2] * z,
    r[3] * x + r[4] * y + r[5] * z,
    r[6] * x + r[7] * y + r[8] * z,
  ];
}

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.hypot(a[0], a[1], a[2]);

function place(pose, point) {
  return add(turn(pose.r, point), pose.t);
}

function compose(outer, inner) {
  const r = new Array(9);
  for (let i = 0; i < 3; i += 1) {
    for (let k = 0; k < 3; k += 1) {
      r[3 * i + k] = outer.r[3 * i] * inner.r[k] + outer.r[3 * i + 1] * inner.r[3 + k]
        + outer.r[3 * i + 2] * inner.r[6 + k];
    }
  }
  return { r, t: place(outer, inner.t) };
}

function fromQuaternion(x, y, z, w) {
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
    2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
    2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y),
  ];
}

// Placement of a body in its parent.
function jointPose(body, q) {
  const fixed = { r: body.rotation, t: body.translation };
  const at = body.q;
  const position = body.mimic ? body.mimic[0] * q[at] + body.mimic[1] : q[at];
  if (body.kind === "revolute") {
    const [c, s] = [Math.cos(position), Math.sin(position)];
    return compose(fixed, { r: [c, -s, 0, s, c, 0, 0, 0, 1], t: [0, 0, 0] });
  }
  if (body.kind === "prismatic") {
    return compose(fixed, { r: IDENTITY_POSE.r, t: [0, 0, position] });
  }
  const size = Math.hypot(q[at + 3], q[at + 4], q[at + 5], q[at + 6]) || 1;
  const [x, y, z, w] = [3, 4, 5, 6].map((k) => q[at + k] / size);
  return { r: fromQuaternion(x, y, z, w), t: [q[at], q[at + 1], q[at + 2]] };
}

class Motion {
  constructor(scene, frames) {
    this.bodies = scene.bodies;
    this.load(frames);
  }

  load(frames) {
    this.times = unpackDouble(frames.times);
    this.q = unpackSingle(frames.q);
    this.width = this.times.length ? this.q.length / this.times.length : 0;
  }

  // Configuration at a time, interpolated between frames; the moments of events are frames.
  configuration(time) {
    const i = lastAtMost(this.times, time);
    const k = Math.min(i + 1, this.times.length - 1);
    const span = this.times[k] - this.times[i];
    const share = span > 0 ? Math.min(1, Math.max(0, (time - this.times[i]) / span)) : 0;
    const [a, b] = [i * this.width, k * this.width];
    const q = new Array(this.width);
    for (let j = 0; j < this.width; j += 1) q[j] = this.q[a + j] * (1 - share) + this.q[b + j] * share;
    for (const body of this.bodies) {
      if (body.kind !== "floating") continue;
      // q and −q are one rotation: go the short way.
      let product = 0;
      for (let j = 3; j < 7; j += 1) product += this.q[a + body.q + j] * this.q[b + body.q + j];
      const sign = product < 0 ? -1 : 1;
      for (let j = 3; j < 7; j += 1) {
        q[body.q + j] = this.q[a + body.q + j] * (1 - share) + sign * this.q[b + body.q + j] * share;
      }
    }
    return q;
  }

  // Poses of all bodies at a time.
  poses(time) {
    const q = this.configuration(time);
    const poses = [];
    for (const body of this.bodies) {
      const local = jointPose(body, q);
      poses.push(body.parent === null ? local : compose(poses[body.parent], local));
    }
    return poses;
  }
}

const poseOf = (poses, body) => (body === null ? IDENTITY_POSE : poses[body]);
