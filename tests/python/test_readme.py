"""The example of the README."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("text", re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL))
def test_the_readme_runs(text, monkeypatch):
    monkeypatch.chdir(ROOT)
    exec(compile(text, "README.md", "exec"), {})
