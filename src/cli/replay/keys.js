// The keyboard, and the overlay that explains it.

const FINE = 1;
const COARSE = 10;
const TURN_PIXELS = 12;
const MOVE_PIXELS = 30;

// Key, what it does in words, what it does; `fold` is the description of a group on its first key.
function keyTable({ player, view, refit, show, redraw, help }) {
  const camera = (act) => () => {
    act(view.camera);
    redraw();
  };
  return [
    { keys: [" "], shown: "Space", words: "play or pause", act: () => player.toggle() },
    { keys: ["ArrowLeft"], shown: "\u2190 \u2192", words: "one frame back or on; with Shift ten", act: (e) => player.step(e.shiftKey ? -COARSE : -FINE) },
    { keys: ["ArrowRight"], act: (e) => player.step(e.shiftKey ? COARSE : FINE) },
    { keys: ["p", "P"], shown: "P N", words: "previous or next event", act: () => player.previous() },
    { keys: ["n", "N"], act: () => player.next() },
    { keys: ["Home"], shown: "Home End", words: "start or end", act: () => player.seek(player.start) },
    { keys: ["End"], act: () => player.seek(player.end) },
    { keys: ["<", ","], shown: "< >", words: "slower or faster", act: () => player.faster(-1) },
    { keys: [">", "."], act: () => player.faster(1) },
    ...VIEWS.map((look, i) => ({
      keys: [look.key],
      ...(i === 0 ? { shown: "1 2 3 4", words: "view: oblique, side, front, top" } : {}),
      act: () => refit(look),
    })),
    { keys: ["a", "A"], shown: "A D W S", words: "turn the view; with Shift move it", act: camera((c) => c.orbit(-TURN_PIXELS, 0)), shifted: camera((c) => c.pan(MOVE_PIXELS, 0)) },
    { keys: ["d", "D"], act: camera((c) => c.orbit(TURN_PIXELS, 0)), shifted: camera((c) => c.pan(-MOVE_PIXELS, 0)) },
    { keys: ["w", "W"], act: camera((c) => c.orbit(0, TURN_PIXELS)), shifted: camera((c) => c.pan(0, MOVE_PIXELS)) },
    { keys: ["s", "S"], act: camera((c) => c.orbit(0, -TURN_PIXELS)), shifted: camera((c) => c.pan(0, -MOVE_PIXELS)) },
    { keys: ["+", "="], shown: "+ \u2212", words: "zoom", act: camera((c) => c.zoom(1.2)) },
    { keys: ["-", "_"], act: camera((c) => c.zoom(1 / 1.2)) },
    { keys: ["f", "F"], shown: "F", words: "follow the robot, or stand still", act: () => { view.follow = !view.follow; refit(); } },
    ...OVERLAYS.map(({ key, name, words }) => ({
      keys: [key, key.toUpperCase()], shown: key.toUpperCase(), words: `show ${words}`, act: () => show(name),
    })),
    { keys: ["r", "R"], shown: "R", words: "show everything again", act: () => refit() },
    { keys: ["?", "h", "H"], shown: "?", words: "this help", act: () => help() },
  ];
}

const GESTURES = [
  ["Drag", "turn the view"],
  ["Shift + drag, right button, two fingers", "move it"],
  ["Wheel, pinch", "zoom"],
  ["Click or drag in a plot", "go to that time"],
  ["Click on an event", "go to its moment"],
];

function fillHelp(dialog, table) {
  const row = (keys, words) => element("tr", {}, element("td", {}, ...keys), element("td", {}, words));
  const keyRows = table.filter(({ shown }) => shown).map(({ shown, words }) =>
    row(shown.split(" ").flatMap((key) => [element("kbd", {}, key), " "]), words));
  const legend = "Blue arrows are impulses of an impact with one outcome. Dashed orange arrows are impulses of an impact "
    + "that has several outcomes, or of which the law cannot tell; \u03be is the largest distance between "
    + "two of them over the momentum before. Their length is relative to the largest impulse of an event that was jumped to, and to the large ones of the "
    + "run while time runs. Green arrows are mean forces of held contacts; the few that are much larger than the others are cut off. In a pair, the arrow acts on the first of the two.";
  const close = element("button", { type: "button" }, "Close");
  close.addEventListener("click", () => dialog.close());
  dialog.replaceChildren(
    element("h2", {}, "Keys and gestures"),
    element("table", {}, element("tbody", {}, ...keyRows, ...GESTURES.map(([keys, words]) => row([keys], words)))),
    element("p", {}, legend), close,
  );
}

// Keys work wherever the focus is, except where they have a meaning of their own.
function attachKeys(table, dialog) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    const target = event.target;
    const types = target.matches("input[type=search], textarea, select");
    const presses = target.matches("button, summary, input[type=checkbox]") && (event.key === " " || event.key === "Enter");
    if (types || presses) return;
    const entry = table.find(({ keys }) => keys.includes(event.key));
    if (!entry) return;
    event.preventDefault();
    (event.shiftKey && entry.shifted ? entry.shifted : entry.act)(event);
  });
}
