"""What the tests of the Python package share."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytest_plugins = ["pytester"]


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> Iterator[None]:
    """Ctrl-C is heard also where the tests were started in the background: shells leave it ignored there."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def robots() -> Path:
    """The robots that ship."""
    return ROOT / "robots"


@pytest.fixture(scope="session")
def examples() -> Path:
    """The examples that ship."""
    return ROOT / "examples"
