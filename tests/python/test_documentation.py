"""Documentation: the compiled classes have that of the stubs, and everything public has some."""

import ast
import inspect
from pathlib import Path

import carom
import pytest

STUB = Path(carom.__file__).with_name("_carom.pyi")
CLASSES = [node for node in ast.parse(STUB.read_text()).body if isinstance(node, ast.ClassDef) and node.name != "Tables"]


def words(text):
    return " ".join((text or "").split())


@pytest.mark.parametrize("described", CLASSES, ids=lambda node: node.name)
def test_help_says_what_the_stubs_say(described):
    cls = getattr(carom, described.name)
    assert words(cls.__doc__) == words(ast.get_docstring(described))
    methods = [node for node in described.body if isinstance(node, ast.FunctionDef)]
    for method in methods:
        text = ast.get_docstring(method)
        if text is not None:
            assert words(getattr(cls, method.name).__doc__) == words(text), method.name
    # Nothing is there that the stubs do not know.
    public = {name for name in vars(cls) if not name.startswith("_")}
    assert public <= {method.name for method in methods}


def test_everything_public_is_documented():
    for name in carom.__all__:
        value = getattr(carom, name)
        assert not callable(value) or not inspect.isroutine(value) or value.__doc__, name
