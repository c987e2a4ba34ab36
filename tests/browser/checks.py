"""Counts what holds in a page and what does not."""

import sys
from pathlib import Path

from webdriver import BrowserError


class Checks:
    """Counts what was checked and keeps what failed."""

    def __init__(self):
        self.done = 0
        self.failed = []

    def that(self, holds, what):
        self.done += 1
        if not holds:
            self.failed.append(what)
            print(f"FAILED: {what}", file=sys.stderr)


def run(check, usage, what):
    """Runs `check(path, pictures, checks)` on the arguments of the program and exits with 1 if anything fails."""
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(usage)
    pictures = Path(sys.argv[2]) if len(sys.argv) == 3 else None
    checks = Checks()
    try:
        check(Path(sys.argv[1]), pictures, checks)
    except BrowserError as error:
        checks.that(False, error)
    print(f"{checks.done - len(checks.failed)} of {checks.done} checks of the {what} hold")
    sys.exit(1 if checks.failed else 0)
