"""A page on a large light screen and on a small dark one, with what must hold of every page on both."""

from replay import READY, UNREADABLE
from webdriver import Browser


def on_both(page, pictures, checks, name):
    """Yields the browser with the page, and whether it is a phone; after the caller's checks come those of any page."""
    for phone in [False, True]:
        size = (390, 844) if phone else (1280, 900)
        with Browser(*size, dark=phone, phone=phone) as browser:
            browser.open(page)
            browser.wait("the page to become ready", READY)
            loaded = browser.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
            checks.that(loaded == [], f"nothing is loaded, found {loaded}")
            yield browser, phone
            found = browser.run(UNREADABLE)
            checks.that(found == [], f"everything is readable: {found}")
            found = browser.complaints()
            checks.that(found == [], f"the console is silent: {found}")
            if pictures:
                browser.run("scrollTo(0, 0)")
                browser.screenshot(pictures / f"{name}{'-phone' if phone else ''}.png")
