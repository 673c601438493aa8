"""A pytest plugin (`-p`) that leaves out the tests of `postgres_redundant.txt`; see `shapes.py`."""

from __future__ import annotations

import pytest

from tests.shapes import REDUNDANT


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the redundant tests."""
    redundant = set(REDUNDANT.read_text().splitlines())
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in redundant])
    items[:] = [item for item in items if item.nodeid not in redundant]
