"""Move an object that is tried in order, such as a rule, to another position of the text."""

from __future__ import annotations

from collections.abc import Sequence

from console.dialects.base import Dialect
from console.dialects.merging.blocks import is_content
from console.dialects.merging.pieces import lines_of, whole_lines
from console.engine.diff.objects import (
    ObjectKind,
    PolicyObject,
    PolicyObjects,
    fact_differences,
)


def movable_objects(dialect: Dialect, objects: PolicyObjects) -> Sequence[PolicyObject]:
    """Return the objects that a form may move, in order; none if *dialect* has no such kind."""
    return objects.ordered(dialect.movable_kind) if dialect.movable_kind else ()


def moved(items: Sequence[PolicyObject], place: int, to: int) -> list[PolicyObject]:
    """Return *items* with the one at index *place* at index *to*."""
    found = [*items[:place], *items[place + 1 :]]
    found.insert(to, items[place])
    return found


def with_moved(
    dialect: Dialect, text: str, objects: PolicyObjects, place: int, to: int
) -> str | None:
    """
    Return *text*, which describes *objects*, with one object at another position.

    The object takes its lines and the comments above it along; all other lines stay. None if the
    layout of the text allows no such edit, or if the result would mean something else.
    """
    kind = next(kind for kind in objects.kinds if kind.name == dialect.movable_kind)
    lines = lines_of(whole_lines(text))
    slices = _slices(lines, objects.ordered(kind.name))
    if slices is None:
        return None
    order = [*slices[:place], *slices[place + 1 :]]
    order.insert(to, slices[place])
    found: list[str] = []
    at = 0
    for old, new in zip(slices, order, strict=True):
        found += lines[at : old.start]
        found += lines[new.start : new.stop]
        at = old.stop
    result = "".join([*found, *lines[at:]])
    if not text.endswith(("\n", "\r")):
        result = result[:-1]
    return result if _is_move(dialect, result, objects, kind, place, to) else None


def _slices(lines: Sequence[str], items: Sequence[PolicyObject]) -> list[range] | None:
    """Return the lines of each object with the comments above it; None if objects share lines."""
    found: list[range] = []
    at = 0
    for each in items:
        if each.origin is None or each.origin.line - 1 < at or each.origin.end_line > len(lines):
            return None
        start = each.origin.line - 1
        while start > at and not is_content(lines[start - 1]):
            start -= 1
        found.append(range(start, each.origin.end_line))
        at = each.origin.end_line
    return found


def _is_move(
    dialect: Dialect, text: str, before: PolicyObjects, kind: ObjectKind, place: int, to: int
) -> bool:
    """Return whether *text* has the objects of *before* with one at another position."""
    after = dialect.read_objects(text, {})
    if after is None:
        return False
    for other in before.kinds:
        wanted = list(before.ordered(other.name))
        if other.name == kind.name:
            wanted = moved(wanted, place, to)
        found = after.ordered(other.name)
        if len(wanted) != len(found) or any(
            (other.name != kind.name and one.key != two.key)
            or any(fact_differences(other, one.facts, two.facts))
            for one, two in zip(wanted, found, strict=True)
        ):
            return False
    return True
