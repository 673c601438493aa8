"""The examples in the engine's docstrings are true."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import console.engine

MODULES = [
    "console.engine",
    *(m.name for m in pkgutil.walk_packages(console.engine.__path__, "console.engine.")),
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0
