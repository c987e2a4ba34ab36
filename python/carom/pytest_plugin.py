"""The fixture `carom_baseline` of pytest: a baseline that differs fails a test as an assertion does.

    def test_walk(carom_baseline):
        carom_baseline("walk.baseline.toml")
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from . import Verdict


@pytest.fixture
def carom_baseline(request: pytest.FixtureRequest) -> Callable[..., Verdict]:
    """A function of a baseline's file, relative to that of the test, with what `Baseline.check` takes."""
    folder = Path(request.path).parent

    def check(path: str | os.PathLike[str], *settings: object, **options: object) -> Verdict:
        # What differs is said; where the check stands in this package is not.
        __tracebackhide__ = True
        from ._baseline import Baseline
        from .errors import BaselineDiffers

        try:
            return Baseline(folder / path).check(*settings, **options)  # type: ignore[arg-type]
        except BaselineDiffers as differs:
            raise pytest.fail.Exception(str(differs), pytrace=False) from None

    return check
