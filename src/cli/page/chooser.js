// Which columns of the series are plotted.

const COLUMN_GROUPS = [
  ["Energy", (name) => name.endsWith("_J")],
  ["Gaps", (name) => name.startsWith("gap_")],
  ["Contact forces", (name) => name.startsWith("force_")],
  ["Configuration", (name) => name.startsWith("q_")],
  ["Velocity", (name) => name.startsWith("v_")],
  ["Other", () => true],
];

// A fold-out list of columns with a filter; calls `onChange` with the chosen names, in their order.
function makeChooser(host, names, chosen, onChange) {
  const marked = new Set(chosen);
  const left = new Set(names);
  const labels = [];
  const groups = COLUMN_GROUPS.map(([title, belongs]) => {
    const own = [...left].filter(belongs);
    own.forEach((name) => left.delete(name));
    if (own.length === 0) return null;
    const field = element("fieldset", {}, element("legend", {}, title));
    for (const name of own) {
      const box = element("input", { type: "checkbox", checked: marked.has(name) });
      box.addEventListener("change", () => {
        if (box.checked) marked.add(name);
        else marked.delete(name);
        onChange(names.filter((n) => marked.has(n)));
      });
      const label = element("label", {}, box, name);
      labels.push([name, label, field]);
      field.append(label);
    }
    return field;
  }).filter(Boolean);
  const filter = element("input", {
    type: "search", placeholder: "Filter, for example knee", "aria-label": "Filter series",
  });
  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const [name, label] of labels) label.hidden = !name.toLowerCase().includes(wanted);
    for (const field of groups) field.hidden = !field.querySelector("label:not([hidden])");
  });
  host.append(element("details", { class: "chooser" },
    element("summary", {}, "Choose series"),
    filter, element("div", { class: "choices" }, ...groups)));
}
