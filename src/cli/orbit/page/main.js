// Puts the page of an orbit or a branch together.

const byId = (id) => document.getElementById(id);

function rowsOf(rows, head) {
  const row = (cells, tag) => element("tr", {}, ...cells.map((cell) => element(tag, {}, cell)));
  return element("table", {}, ...(head ? [row(head, "th")] : []), ...rows.map((cells) => row(cells, "td")));
}

function run(data) {
  byId("title").textContent = document.title;
  byId("lead").textContent = data.lead;
  if (data.replay) byId("lead").append(" ", element("a", { href: data.replay }, "Watch it."));
  byId("facts").append(rowsOf(data.facts));
  for (const { name, svg } of data.figures) {
    const image = element("img", { alt: name, src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}` });
    byId("figures").append(element("figure", {}, image, element("figcaption", {}, name)));
  }
  for (const { title, head, rows } of data.tables) {
    if (rows.length) byId("tables").append(element("h2", {}, title), rowsOf(rows, head));
  }
}

run(readData());
document.documentElement.dataset.ready = "true";
