// The clock of the replay.

const SPEEDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16];
const FRAME = 1 / 60;

class Player {
  constructor(start, end, eventTimes) {
    this.start = start;
    this.end = end;
    this.eventTimes = eventTimes;
    this.time = start;
    // The event that was jumped to; several may share one moment.
    this.focus = null;
    this.playing = false;
    this.speed = this.fittingSpeed();
    this.watchers = [];
    // Seconds of the run in a second of who watches a run that goes on; nothing otherwise.
    this.chase = null;
    // Whether the end is followed by the start: a period of an orbit.
    this.repeats = false;
  }

  // The run has gone on to `end`: who is at its end goes along, in so many seconds.
  extend(end, eventTimes, seconds) {
    const along = this.time >= this.end || this.chase !== null;
    this.end = end;
    this.eventTimes = eventTimes;
    if (along && this.focus === null && end > this.time) {
      this.chase = (end - this.time) / seconds;
      this.run();
    }
    this.changed();
  }

  // A few seconds to watch a short run; a minute at most for a long one.
  fittingSpeed() {
    const duration = this.end - this.start;
    if (duration < 4) return [...SPEEDS].reverse().find((s) => s <= 1 && duration / s >= 6) ?? SPEEDS[0];
    return SPEEDS.find((s) => s >= 1 && duration / s <= 60) ?? SPEEDS[SPEEDS.length - 1];
  }

  watch(callback) {
    this.watchers.push(callback);
  }

  changed() {
    this.watchers.forEach((callback) => callback());
  }

  seek(time) {
    this.focus = null;
    this.chase = null;
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.changed();
  }

  jump(index) {
    if (index < 0 || index >= this.eventTimes.length) return;
    this.pause();
    this.seek(this.eventTimes[index]);
    this.focus = index;
    this.changed();
  }

  // The event that is shown last: the one jumped to, or the latest that has happened.
  latest() {
    if (this.focus !== null) return this.focus;
    const i = lastAtMost(this.eventTimes, this.time);
    return this.eventTimes.length && this.eventTimes[i] <= this.time ? i : -1;
  }

  next() {
    this.jump(this.latest() + 1);
  }

  previous() {
    const latest = this.latest();
    this.jump(this.focus === null && latest >= 0 && this.eventTimes[latest] < this.time ? latest : latest - 1);
  }

  // So many frames of a screen, at the present speed.
  step(frames) {
    this.pause();
    this.seek(this.time + frames * FRAME * this.speed);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.end <= this.start) return;
    if (this.time >= this.end) this.time = this.start;
    this.chase = null;
    this.run();
    this.changed();
  }

  run() {
    if (this.playing) return;
    this.playing = true;
    this.focus = null;
    let before = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      const elapsed = Math.max(0, now - before) / 1000;
      before = now;
      this.time += elapsed * (this.chase ?? this.speed);
      if (this.time >= this.end) {
        if (this.repeats) this.time = this.start + (this.time - this.start) % (this.end - this.start);
        else [this.time, this.playing] = [this.end, false];
      }
      this.changed();
      if (this.playing) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  pause() {
    this.chase = null;
    if (!this.playing) return;
    this.playing = false;
    this.changed();
  }

  setSpeed(speed) {
    this.speed = speed;
    this.changed();
  }

  faster(places) {
    const i = SPEEDS.indexOf(this.speed) + places;
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, i))]);
  }
}
