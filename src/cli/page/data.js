// The data of the page, and numbers packed as base64.

function readData() {
  return JSON.parse(document.getElementById("data").textContent);
}

function bytesOf(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// Files are little-endian, whatever the machine is.
function unpack(text, width, read) {
  const bytes = bytesOf(text);
  const view = new DataView(bytes.buffer);
  return Float64Array.from({ length: bytes.length / width }, (_, i) => read(view, i * width));
}

const unpackSingle = (text) => unpack(text, 4, (view, at) => view.getFloat32(at, true));
const unpackDouble = (text) => unpack(text, 8, (view, at) => view.getFloat64(at, true));

// The series of a run: times, and by name unit and values; unpacked when first asked for.
class SeriesStore {
  constructor(packed) {
    this.load(packed);
  }

  load(packed) {
    this.times = unpackDouble(packed.times);
    this.thinned = packed.rows_per_pair > 1;
    this.columns = new Map(packed.columns.map((column) => [column.name, column]));
    this.unpacked = new Map();
  }

  names() {
    return [...this.columns.keys()];
  }

  has(name) {
    return this.columns.has(name);
  }

  unit(name) {
    return this.columns.get(name).unit;
  }

  values(name) {
    if (!this.unpacked.has(name)) {
      const { values, offset } = this.columns.get(name);
      this.unpacked.set(name, unpackSingle(values).map((x) => x + offset));
    }
    return this.unpacked.get(name);
  }

  // Change since the first row; small changes of large numbers keep their digits.
  change(name) {
    return unpackSingle(this.columns.get(name).values);
  }
}

// Index of the last entry that is at most x, or 0.
function lastAtMost(sorted, x) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
