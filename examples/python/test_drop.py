"""A regression test of a controller, in pytest: `pytest examples/python/test_drop.py`.

A baseline is recorded once, by `carom baseline record` or `carom.Baseline.record`, and lies in version control beside the
test. Here the test records it itself, so that the example runs by itself.
"""

from collections.abc import Callable
from pathlib import Path

import carom
import pytest

ROBOTS = Path(__file__).resolve().parents[2] / "robots"
Check = Callable[..., carom.Verdict]


@pytest.fixture
def baseline(tmp_path: Path) -> Path:
    file = tmp_path / "drop.baseline.toml"
    carom.Baseline.record(ROBOTS / "trex" / "drop.toml", file, {"duration": 0.3})
    return file


def test_the_drop_is_what_it_was(baseline: Path, carom_baseline: Check) -> None:
    carom_baseline(baseline)


def test_a_softer_tail_is_noticed(baseline: Path) -> None:
    verdict = carom.Baseline(baseline).verify({"controller.stiffness": 0.7})
    assert not verdict.same
    print(verdict)
