"""The replay in a real browser: it loads, plays, jumps, obeys the keyboard and fits a phone.

usage: python3 tests/browser/replay.py FOLDER [PICTURES]

FOLDER holds results of `carom simulate` for the scenarios below, each in a folder of its name. Exits
with 1 and says what is wrong if anything is. With PICTURES, screenshots are left there; trex.png and
rhex.png are those of the README.
"""

from checks import run
from webdriver import Browser

# Impacts with verdicts, arcs that stand, balls in pairs.
RUNS = ["drop", "stand", "five"]

TIME = "return parseFloat(document.getElementById('clock').textContent)"
READY = "return document.documentElement.dataset.ready === 'true'"
# The pixels of a canvas, from a copy, so that reading does not change how the page draws.
PIXELS = """
const copy = new OffscreenCanvas(canvas.width, canvas.height);
const context = copy.getContext('2d', { willReadFrequently: true });
context.drawImage(canvas, 0, 0);
const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
"""
# How many different colours a canvas shows on some of its points.
COLOURS = f"""
const canvas = document.querySelector(arguments[0]);
{PIXELS}""" + """
const seen = new Set();
for (let i = 0; i < data.length; i += 4 * 97) seen.add(`${data[i]},${data[i + 1]},${data[i + 2]},${data[i + 3]}`);
return seen.size;
"""
FINGERPRINT = f"""
const canvas = document.querySelector('#scene');
{PIXELS}""" + """
let sum = 0;
for (let i = 0; i < data.length; i += 1) sum = (sum * 31 + data[i]) % 1000000007;
return sum;
"""
# Texts that are too small to read or cut off, and controls that are too small for a finger.
UNREADABLE = """
const found = [];
if (document.scrollingElement.scrollWidth > innerWidth) found.push(`page is ${document.scrollingElement.scrollWidth} px wide`);
for (const box of document.querySelectorAll('h1, p, summary, button, td, th, li, label, select')) {
  const { width, height, left, right } = box.getBoundingClientRect();
  if (width === 0 || box.closest('dialog, .scroll')) continue;
  if (parseFloat(getComputedStyle(box).fontSize) < 12) found.push(`small text: ${box.textContent}`);
  if (left < -1 || right > innerWidth + 1) found.push(`cut off: ${box.textContent}`);
  if (box.matches('button, select') && Math.min(width, height) < 32) found.push(`small control: ${box.textContent}`);
}
return found;
"""


# Largest distance of a contact's point, as the simulation computed it, from the surface of its site, as
# the page places it.
MISPLACED = """
const data = JSON.parse(document.getElementById('data').textContent);
let worst = 0;
for (const { time, contacts } of data.events) {
  for (const { name, point } of contacts) {
    const [index] = data.scene.contacts.find((contact) => contact.name === name).sites;
    const site = data.scene.sites[index];
    const centre = window.carom.site(site.name, time);
    const distance = Math.hypot(...point.map((x, i) => x - centre[i]));
    worst = Math.max(worst, Math.abs(distance - site.radius - site.thickness));
  }
}
return worst;
"""


def load(browser, checks, page):
    browser.open(page)
    browser.wait("the page to become ready", READY)
    name = page.parent.name
    checks.that(browser.complaints() == [], f"{name}: the console is silent")
    loaded = browser.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    checks.that(loaded == [], f"{name}: nothing is loaded, found {loaded}")
    browser.wait("a picture of the robot", f"const f = function () {{{COLOURS}}}; return f('#scene') > 8")
    plots = browser.run("return document.querySelectorAll('figure.plot canvas').length")
    checks.that(plots >= 3, f"{name}: {plots} plots, at least energy, balance and contacts are expected")
    checks.that(browser.run(COLOURS, "figure.plot canvas") > 3, f"{name}: the energy is drawn")
    # Configurations are kept in single precision: 1e-7 of angles up to some turns and lengths below 1 m.
    misplaced = browser.run(MISPLACED)
    checks.that(misplaced < 3e-6, f"{name}: contacts are {misplaced} m from their sites")


def plays(browser, checks):
    checks.that(browser.run(TIME) == 0, "the clock starts at zero")
    browser.click("#play")
    browser.wait("time to advance", f"return (function () {{{TIME}}})() > 0.05")
    first = browser.run(FINGERPRINT)
    browser.wait("the picture to change", f"return (function () {{{FINGERPRINT}}})() !== arguments[0]", first)
    browser.click("#play")
    # A frame that was under way still moves the clock.
    browser.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    stopped = browser.run(TIME)
    browser.run("return new Promise((done) => setTimeout(done, 200))")
    checks.that(browser.run(TIME) == stopped, "pause stops the clock")


def jumps(browser, checks):
    rows = browser.run("return document.querySelectorAll('#events tbody tr').length")
    checks.that(rows > 10, f"the table has {rows} events")
    wanted = browser.run("return parseFloat(document.querySelectorAll('#events tbody tr button')[4].textContent)")
    browser.run("document.querySelectorAll('#events tbody tr button')[4].scrollIntoView({ block: 'center' })")
    browser.click("#events tbody tr:nth-child(5) button")
    browser.wait("the clock to jump to the event", f"return Math.abs((function () {{{TIME}}})() - arguments[0]) < 1e-3", wanted)
    marked = browser.run("return [...document.querySelectorAll('#events tbody tr')].findIndex((row) => row.ariaCurrent === 'true')")
    checks.that(marked == 4, f"the event that was clicked is marked, not {marked}")
    # The first impact of TREX, on foot and tail at once.
    browser.run("document.querySelector('#events tbody tr button').click()")
    card = "return document.getElementById('verdict').textContent"
    browser.wait("the verdict", f"return (function () {{{card}}})().includes('tail')")
    text = browser.run(card)
    for word in ["Impact", "propagative", "outcome", "\u03be", "tail", "N\u00a0s"]:
        checks.that(word in text, f"the verdict says {word!r}: {text}")


def keyboard(browser, checks):
    browser.run("document.activeElement.blur(); scrollTo(0, 0)")
    browser.press("home")
    browser.wait("Home", f"return (function () {{{TIME}}})() === 0")
    browser.press("right", "right")
    browser.wait("the right arrow", f"return (function () {{{TIME}}})() > 0")
    browser.press("n")
    browser.wait("N to go to the first event", f"return Math.abs((function () {{{TIME}}})() - 0.186) < 1e-3")
    before = browser.run(FINGERPRINT)
    browser.press("4")
    browser.wait("4 to look from above", f"return (function () {{{FINGERPRINT}}})() !== arguments[0]", before)
    browser.press(" ")
    browser.wait("space to play", "return document.getElementById('play').textContent === 'Pause'")
    browser.press(" ")
    browser.wait("space to pause", "return document.getElementById('play').textContent === 'Play'")
    browser.press("?")
    browser.wait("the help", "return document.getElementById('help').open")
    keys = browser.run("return [...document.querySelectorAll('#help kbd')].map((key) => key.textContent)")
    checks.that({"Space", "N", "P", "Home", "?"} <= set(keys), f"the help names the keys: {keys}")
    browser.press("escape")
    browser.wait("Escape to close the help", "return !document.getElementById('help').open")
    browser.press("end")
    browser.wait("End", f"return Math.abs((function () {{{TIME}}})() - 2) < 1e-9")


def overlays(browser, checks):
    """The centre of mass, the support and the cones of a robot that stands, by keys and by buttons."""
    browser.press("end")
    browser.wait("End", f"return (function () {{{TIME}}})() > 0")
    changed = f"return (function () {{{FINGERPRINT}}})() !== arguments[0]"
    for key in "mgc":
        before = browser.run(FINGERPRINT)
        browser.press(key)
        browser.wait(f"{key} to change the picture", changed, before)
    pressed = "return [...document.querySelectorAll('#shows [aria-pressed=true]')].map((button) => button.textContent)"
    names = browser.run(pressed)
    checks.that({"Mass centre", "Support", "Cones"} <= set(names), f"the buttons of what is shown are pressed: {names}")
    before = browser.run(FINGERPRINT)
    browser.click("#shows button")
    browser.wait("a button to change the picture", changed, before)
    # Long after an event nothing is said of it; of one that was jumped to it is.
    card = "return document.getElementById('verdict').textContent"
    browser.wait("the verdict to leave", f"return (function () {{{card}}})() === ''")
    browser.press("p")
    browser.wait("the verdict of an event", f"return (function () {{{card}}})() !== ''")


def mouse(browser, checks):
    browser.press("1", "home")
    browser.wait("Home", f"return (function () {{{TIME}}})() === 0")
    before = browser.run(FINGERPRINT)
    browser.drag("#scene", 60, 20)
    browser.wait("a drag to turn the view", f"return (function () {{{FINGERPRINT}}})() !== arguments[0]", before)
    browser.drag("figure.plot .area", 40, 0)
    browser.wait("a drag in a plot to move the time", f"return (function () {{{TIME}}})() > 0.5")
    plots = browser.run("return document.querySelectorAll('#chosen figure').length")
    browser.click("details.chooser summary")
    browser.run("document.querySelector('details.chooser input[type=checkbox]:not(:checked)').click();"
                "[...document.querySelectorAll('details.chooser label')].find((label) => label.textContent.startsWith('v_')).click()")
    now = browser.run("return document.querySelectorAll('#chosen figure').length")
    checks.that(now > plots, f"choosing a velocity adds a plot: {plots} became {now}")


def check(folder, pictures, checks):
    def keep(browser, name):
        if pictures:
            browser.screenshot(pictures / f"{name}.png")

    with Browser(1100, 860) as browser:
        for run in RUNS:
            load(browser, checks, folder / run / "replay.html")
            browser.press("n" if run == "drop" else "end")
            browser.wait("the time to change", f"return (function () {{{TIME}}})() > 0")
            keep(browser, {"drop": "trex", "stand": "rhex"}.get(run, run))
        load(browser, checks, folder / "stand" / "replay.html")
        overlays(browser, checks)
        load(browser, checks, folder / "drop" / "replay.html")
        plays(browser, checks)
        jumps(browser, checks)
        keep(browser, "drop-impact")
        keyboard(browser, checks)
        mouse(browser, checks)
        found = browser.complaints()
        checks.that(found == [], f"the console stays silent: {found}")
    for dark in [False, True]:
        with Browser(390, 844, dark=dark, phone=True) as browser:
            load(browser, checks, folder / "drop" / "replay.html")
            found = browser.run(UNREADABLE)
            checks.that(found == [], f"a phone shows everything: {found}")
            width = browser.run("return document.getElementById('scene').getBoundingClientRect().width")
            checks.that(width > 330, f"the picture is {width} px wide on a phone")
            before = browser.run(FINGERPRINT)
            browser.drag("#scene", 40, 20, kind="touch")
            browser.wait("a finger to turn the view", f"return (function () {{{FINGERPRINT}}})() !== arguments[0]", before)
            ground = browser.run("return getComputedStyle(document.body).backgroundColor")
            light = sum(int(part) for part in ground.strip("rgb()").split(",")) > 384
            checks.that(light != dark, f"the page follows the colour scheme: {ground} with dark = {dark}")
            found = browser.complaints()
            checks.that(found == [], f"the console stays silent on a phone: {found}")
            keep(browser, f"phone-{'dark' if dark else 'light'}")


if __name__ == "__main__":
    run(check, __doc__, "replay")
