// Puts the page together.

const byId = (id) => document.getElementById(id);

function tableOf(host, heading, rows) {
  const cell = (value) => {
    if (typeof value === "number" || value === null) return element("td", { class: "number" }, formatNumber(value, 6));
    return element("td", { class: String(value).startsWith("carom ") ? "command" : "text" }, value);
  };
  host.replaceChildren(element("table", {},
    element("thead", {}, element("tr", {}, ...heading.map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(cell))))));
}

function metricRows(metrics) {
  const shares = [0.05, 0.5, 0.95];
  const value = (run) => (run ? run.value : null);
  return metrics.map((metric) => [
    metric.name, metric.runs, metric.mean, metric.deviation, value(metric.least),
    ...shares.map((share) => metric.quantiles.find((q) => q.share === share)?.value ?? null),
    value(metric.largest),
  ]);
}

function run(data) {
  const { summary } = data;
  byId("title").textContent = document.title;
  const statuses = Object.entries(summary.statuses).map(([word, n]) => `${n} ${word}`);
  byId("counts").textContent = `${summary.runs} runs of ${summary.subject}: ${statuses.join(", ")}. `
    + `${data.runs.length} of them are drawn as points.`;
  const [metric, key] = [byId("metric"), byId("key")];
  metric.append(...summary.metrics.map(({ name }, i) => element("option", { value: i }, name)));
  key.append(...data.keys.map((name, i) => element("option", { value: i }, name)), element("option", { value: "run" }, "run"));

  let points = [];
  const draw = () => {
    const m = Number(metric.value);
    const told = summary.metrics[m];
    byId("expression").textContent = told.expression;
    const ends = [told.least?.value ?? 0, told.largest?.value ?? 1];
    drawHistogram(byId("histogram"), data.histograms[m], ends[0], ends[1]);
    const places = key.value === "run" ? data.runs : data.places[Number(key.value)];
    points = drawCloud(byId("scatter"), places, data.values[m]);
    tableOf(byId("worst"), ["run", told.name, "to repeat it"],
      told.worst.map(({ run: number, value }, i) => [String(number), value, data.commands[m][i]]));
    const indices = summary.sensitivity?.[told.name] ?? [];
    byId("sensitivity-section").hidden = indices.length === 0;
    tableOf(byId("sensitivity"), ["key", "first order", "±", "total", "±"],
      indices.map((k) => [k.key, k.first_order, k.first_order_error, k.total, k.total_error]));
  };
  byId("scatter").addEventListener("pointermove", (event) => {
    const box = byId("scatter").getBoundingClientRect();
    const away = (p) => Math.hypot(p.x - (event.clientX - box.left), p.y - (event.clientY - box.top));
    const near = points.reduce((best, p) => (best === null || away(p) < away(best) ? p : best), null);
    if (!near || away(near) > 12) return;
    const keys = data.keys.map((name, k) => `${name}=${data.places[k][near.i]}`);
    byId("point").textContent = `run ${data.runs[near.i]}: ${formatNumber(data.values[Number(metric.value)][near.i], 6)}; ${keys.join(", ")}`;
  });
  metric.addEventListener("change", draw);
  key.addEventListener("change", draw);

  tableOf(byId("metrics"), ["metric", "runs", "mean", "deviation", "least", "5 %", "median", "95 %", "largest"],
    metricRows(summary.metrics));
  byId("failed-section").hidden = summary.failed.length === 0;
  tableOf(byId("failed"), ["run", "status", "why", "to repeat it"],
    summary.failed.map((f, i) => [String(f.run), f.status, f.message, data.failed_commands[i]]));
  draw();
  theme.watch(draw);
  new ResizeObserver(draw).observe(document.body);
  document.documentElement.dataset.ready = "true";
}

run(readData());
