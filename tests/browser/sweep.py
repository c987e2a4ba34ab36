"""The page of a sweep in a real browser.

usage: python3 tests/browser/sweep.py PAGE [PICTURES]

PAGE is `sweep.html` of robots/trex/drops.sweep.toml. Exits with 1 and says what is wrong if anything is. With PICTURES,
screenshots are left there.
"""

from checks import run
from replay import COLOURS, READY, UNREADABLE
from webdriver import Browser

CHOOSE = """
const [select, text] = [document.getElementById(arguments[0]), arguments[1]];
select.value = [...select.options].find((option) => option.text === text).value;
select.dispatchEvent(new Event('change'));
"""


def check(page, pictures, checks):
    for phone in [False, True]:
        size = (390, 844) if phone else (1280, 900)
        with Browser(*size, dark=phone, phone=phone) as browser:
            browser.open(page)
            browser.wait("the page to become ready", READY)
            loaded = browser.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
            checks.that(loaded == [], f"nothing is loaded, found {loaded}")
            browser.run(CHOOSE, "metric", "tilt")
            browser.run(CHOOSE, "key", "initial.base.pitch")
            for figure in ["#histogram", "#scatter"]:
                checks.that(browser.run(COLOURS, figure) > 2, f"{figure} is drawn")
            worst = browser.run("return document.querySelector('#worst tbody').textContent")
            checks.that("carom simulate drop.toml --set duration=0.18" in worst, f"what repeats a run: {worst}")
            rows = browser.run("return document.querySelectorAll('#metrics tbody tr').length")
            checks.that(rows >= 10, f"all metrics are told: {rows}")
            indices = browser.run("return document.querySelector('#sensitivity tbody').textContent")
            checks.that("contact.friction" in indices, f"indices of the keys: {indices}")
            found = browser.run(UNREADABLE)
            checks.that(found == [], f"everything is readable: {found}")
            found = browser.complaints()
            checks.that(found == [], f"the console is silent: {found}")
            if pictures:
                browser.run("scrollTo(0, 0)")
                browser.screenshot(pictures / f"sweep{'-phone' if phone else ''}.png")


if __name__ == "__main__":
    run(check, __doc__, "sweep")
