"""The comparison of runs in a real browser.

usage: python3 tests/browser/report.py REPORT [PICTURES]

REPORT is a page of `carom report` for two runs of TREX under two orders. Exits with 1 and says what is
wrong if anything is. With PICTURES, screenshots are left there.
"""

from checks import run
from replay import COLOURS
from screens import on_both


def check(page, pictures, checks):
    for browser, phone in on_both(page, pictures, checks, "report"):
        plots = browser.run("return document.querySelectorAll('figure.plot canvas').length")
        checks.that(plots >= 4, f"the energies and gaps that differ are drawn: {plots} plots")
        checks.that(browser.run(COLOURS, "figure.plot canvas") > 4, "two runs are drawn")
        changed = browser.run("return document.querySelector('#scenario tbody').textContent")
        checks.that("impact.order" in changed and "least-violated" in changed, f"what was changed: {changed}")
        first = browser.run("return document.querySelector('#events tr.first').textContent")
        checks.that("foot_A tail" in first and "tail foot_A" in first, f"the first difference: {first}")
        hidden = "return document.querySelectorAll('#summary tr[hidden]').length"
        checks.that(browser.run(hidden) > 3, "what agrees is hidden")
        text = browser.run("return document.querySelector('#summary').textContent")
        checks.that("wall_time" not in text and "hash" not in text, "what always differs is left out")
        browser.run("document.getElementById('only-differences').click()")
        checks.that(browser.run(hidden) == 0, "and can be shown")
        before = browser.run("return document.querySelector('.legend .number').textContent")
        browser.run("document.querySelector('figure.plot .area').scrollIntoView({ block: 'center' })")
        browser.drag("figure.plot .area", 30, 0, kind="touch" if phone else "mouse")
        after = browser.run("return document.querySelector('.legend .number').textContent")
        checks.that(before != after, f"a drag in a plot reads values: {before} and {after}")


if __name__ == "__main__":
    run(check, __doc__, "report")
