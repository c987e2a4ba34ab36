"""What the tests of the Python package share."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytest_plugins = ["pytester"]


@pytest.fixture(scope="session")
def robots() -> Path:
    """The robots that ship."""
    return ROOT / "robots"


@pytest.fixture(scope="session")
def examples() -> Path:
    """The examples that ship."""
    return ROOT / "examples"
