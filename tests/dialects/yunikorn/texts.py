"""Short texts of the language, and what is read of them."""

from __future__ import annotations

from console.dialects.base import Reading
from console.dialects.positions import apply_fix
from console.dialects.yunikorn import DIALECT
from console.engine.disciplines.hierarchy.spec import HierarchySpec, hierarchy_of


def read(text: str) -> Reading:
    """Return the reading of a text."""
    return DIALECT.read(text, {})


def spec_of(text: str) -> HierarchySpec:
    """Return the partitions and queues of a text without errors."""
    reading = read(text)
    assert reading.policy is not None, reading.errors
    return hierarchy_of(reading.policy)


def in_partition(queues: str) -> str:
    """Return a config of the default partition with queues in flow style."""
    return f"partitions: [{{ queues: [{queues}] }}]\n"


def repaired(text: str) -> tuple[str, list[str]]:
    """Return a text with the first fix of every finding applied, and the titles of the fixes."""
    titles: list[str] = []
    while fixes := [each.fixes[0] for each in read(text).diagnostics if each.fixes]:
        titles.append(fixes[0].title)
        assert len(titles) < 30
        text = apply_fix(text, fixes[0])
    return text, titles
