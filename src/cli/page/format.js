// Numbers and elements as text.

const MINUS = "\u2212";

// A number with so many significant digits, short.
function formatNumber(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return "\u2013";
  if (!Number.isFinite(x)) return x > 0 ? "\u221e" : `${MINUS}\u221e`;
  if (x === 0) return "0";
  const magnitude = Math.abs(x);
  let text;
  if (magnitude >= 1e-3 && magnitude < 1e6) {
    text = x.toPrecision(digits);
    if (text.includes("e")) text = String(Math.round(x));
    else if (text.includes(".")) text = text.replace(/\.?0+$/, "");
  } else {
    const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
    text = `${mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa}e${Number(exponent)}`;
  }
  return text.replace(/-/g, MINUS);
}

// The largest of 1, 2 and 5 times a power of ten that is at most x.
function roundDown(x) {
  const power = 10 ** Math.floor(Math.log10(x) + 1e-12);
  return [5, 2, 1].map((m) => m * power).find((s) => s <= x * (1 + 1e-12)) ?? power;
}

// A number beside a scale; what is rounding on that scale is zero.
function formatBeside(x, scale, digits = 4) {
  return Math.abs(x) <= 1e-12 * Math.abs(scale) ? "0" : formatNumber(x, digits);
}

// Round numbers that divide a range into about `count` pieces.
function ticks(low, high, count) {
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999) ?? 10 * power;
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) found.push(k * step);
  return { step, at: found };
}

// A tick's number with the digits that its step needs; `largest` is the largest number on the axis.
function formatTick(x, step, largest) {
  if (Math.abs(x) < step * 1e-6) return "0";
  if (largest >= 1e5 || step < 5e-4) {
    // One exponent for the whole axis.
    const exponent = Math.floor(Math.log10(largest) + 1e-9);
    const decimals = Math.max(0, exponent - Math.floor(Math.log10(step) + 1e-9));
    return `${(x / 10 ** exponent).toFixed(Math.min(decimals, 12))}e${exponent}`.replace(/-/g, MINUS);
  }
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return x.toFixed(Math.min(decimals, 12)).replace(/-/g, MINUS);
}

function withUnit(text, unit) {
  return unit ? `${text} (${unit})` : text;
}

// An element with attributes and children; texts are never read as markup.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}
