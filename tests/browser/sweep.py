"""The page of a sweep in a real browser.

usage: python3 tests/browser/sweep.py PAGE [PICTURES]

PAGE is `sweep.html` of robots/trex/drops.sweep.toml. Exits with 1 and says what is wrong if anything is. With PICTURES,
screenshots are left there.
"""

from checks import run
from replay import COLOURS
from screens import on_both

CHOOSE = """
const [select, text] = [document.getElementById(arguments[0]), arguments[1]];
select.value = [...select.options].find((option) => option.text === text).value;
select.dispatchEvent(new Event('change'));
"""


def check(page, pictures, checks):
    for browser, _ in on_both(page, pictures, checks, "sweep"):
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


if __name__ == "__main__":
    run(check, __doc__, "sweep")
