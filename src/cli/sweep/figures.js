// Histograms and clouds of points on two axes.

const FIGURE = { height: 260, left: 66, right: 12, top: 8, bottom: 26 };

// An axis of a figure: numbers to pixels, with its ticks.
function makeAxis(low, high, from, to) {
  const spread = high > low ? high - low : Math.max(1e-12, Math.abs(high)) * 0.1;
  const middle = (high + low) / 2;
  const [first, last] = high > low ? [low, high] : [middle - spread, middle + spread];
  return {
    first,
    last,
    at: (x) => from + ((x - first) / (last - first)) * (to - from),
    marks: (count) => ticks(first, last, count),
  };
}

// Clears a canvas and draws both axes; `horizontal` and `vertical` are [low, high].
function beginFigure(canvas, horizontal, vertical) {
  const width = canvas.parentElement.clientWidth;
  const context = fitCanvas(canvas, width, FIGURE.height);
  const bottom = FIGURE.height - FIGURE.bottom;
  const x = makeAxis(horizontal[0], horizontal[1], FIGURE.left, width - FIGURE.right);
  const y = makeAxis(vertical[0], vertical[1], bottom, FIGURE.top);
  context.font = `12px ${theme.font}`;
  context.strokeStyle = theme.colours.grid;
  context.fillStyle = theme.colours.muted;
  context.lineWidth = 1;
  const line = (fromX, fromY, toX, toY) => {
    context.beginPath();
    context.moveTo(fromX, fromY);
    context.lineTo(toX, toY);
    context.stroke();
  };
  context.textAlign = "center";
  context.textBaseline = "top";
  const across = x.marks(Math.max(2, (width - FIGURE.left) / 90));
  for (const mark of across.at) {
    line(x.at(mark), FIGURE.top, x.at(mark), bottom);
    context.fillText(formatNumber(mark, 4), Math.min(x.at(mark), width - 24), bottom + 5);
  }
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const mark of y.marks(5).at) {
    line(FIGURE.left, y.at(mark), width - FIGURE.right, y.at(mark));
    context.fillText(formatNumber(mark, 4), FIGURE.left - 6, y.at(mark));
  }
  return { context, x, y, bottom };
}

function drawHistogram(canvas, counts, low, high) {
  const most = Math.max(1, ...counts);
  const { context, x, y, bottom } = beginFigure(canvas, [low, high], [0, most]);
  context.fillStyle = theme.colours.accent;
  const piece = (x.last - x.first) / counts.length;
  counts.forEach((count, i) => {
    const from = x.at(x.first + i * piece);
    const to = x.at(x.first + (i + 1) * piece);
    const top = y.at(count);
    if (count > 0) context.fillRect(from + 0.5, Math.min(top, bottom - 1), Math.max(1, to - from - 1), Math.max(1, bottom - top));
  });
}

// Returns the points in pixels, to be pointed at.
function drawCloud(canvas, places, values) {
  const range = (list) => {
    const there = list.filter((v) => v !== null);
    return there.length ? [Math.min(...there), Math.max(...there)] : [0, 1];
  };
  const { context, x, y } = beginFigure(canvas, range(places), range(values));
  context.fillStyle = theme.colours.accent;
  context.globalAlpha = values.length > 500 ? 0.45 : 0.8;
  const points = [];
  values.forEach((value, i) => {
    if (value === null || places[i] === null) return;
    const point = { i, x: x.at(places[i]), y: y.at(value) };
    context.fillRect(point.x - 1.5, point.y - 1.5, 3, 3);
    points.push(point);
  });
  context.globalAlpha = 1;
  return points;
}
