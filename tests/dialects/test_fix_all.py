"""All obvious fixes of a text at once, in every config language."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from console.dialects import dialects
from console.dialects.base import Dialect
from console.dialects.diagnostics import Diagnostic, Fix, Severity, TextEdit
from console.dialects.fix_all import MOST_ROUNDS, Fixed, fix_all
from console.dialects.reading_cache import read_cached
from console.engine.model.origin import Origin

_KEY = re.compile(r"(?P<key>[A-Za-z_]{6,}):(?=\s)")


def finding(*fixes: Fix) -> Diagnostic:
    return Diagnostic(
        code="TST001",
        severity=Severity.ERROR,
        message="Wrong.",
        path="",
        span=Origin(1, 1, 1, 2),
        fixes=fixes,
    )


def edit(start: int, end: int, text: str) -> TextEdit:
    return TextEdit(Origin(1, start, 1, end), text)


def in_turn(*rounds: Sequence[Diagnostic]):
    """Return a function that finds the diagnostics of each round, and then none."""
    left = list(rounds)
    return lambda text: left.pop(0) if left else []


def test_fixes_that_do_not_overlap_are_applied_together() -> None:
    found = [
        finding(Fix("first", (edit(1, 3, "AB"),))),
        finding(Fix("last", (edit(7, 9, "GH"), edit(4, 4, "-")))),
        # Overlaps with the first.
        finding(Fix("inside", (edit(2, 5, "x"),))),
        # Inserts where another one inserts.
        finding(Fix("same place", (edit(4, 4, "+"),))),
        # A choice of two, and none.
        finding(Fix("one", (edit(5, 6, "1"),)), Fix("two", (edit(5, 6, "2"),))),
        finding(),
    ]
    assert fix_all("abcdefgh", in_turn(found)) == Fixed("ABc-defGH", 2)


def test_rounds_end_without_fixes_at_a_circle_and_after_the_last_one() -> None:
    def flip(text: str) -> list[Diagnostic]:
        return [finding(Fix("flip", (edit(1, 2, "b" if text == "a" else "a"),)))]

    assert fix_all("a", flip) == Fixed("b", 1)
    assert fix_all("a", lambda text: []) == Fixed("a", 0)
    same = [finding(Fix("same", (edit(1, 2, "a"),)))]
    assert fix_all("a", lambda text: same) == Fixed("a", 0)

    def grow(text: str) -> list[Diagnostic]:
        return [finding(Fix("grow", (edit(1, 1, "a"),)))]

    assert fix_all("", grow) == Fixed("a" * MOST_ROUNDS, MOST_ROUNDS)


def misspelled(key: str) -> str:
    return f"{key[:2]}{key[3]}{key[2]}{key[4:]}"


@pytest.mark.parametrize("dialect", dialects().values(), ids=lambda dialect: dialect.name)
def test_five_misspelled_keys_are_fixed_in_every_language(dialect: Dialect) -> None:
    def find(text: str) -> Sequence[Diagnostic]:
        return read_cached(dialect, text, ()).diagnostics

    text = max(dialect.samples().values(), key=len)
    places: list[re.Match[str]] = []
    for match in _KEY.finditer(text):
        wrong = misspelled(match["key"])
        changed = text[: match.start()] + wrong + text[match.end("key") :]
        if wrong != match["key"] and fix_all(changed, find) == Fixed(text, 1):
            places.append(match)
        if len(places) == 5:
            break
    # Every language has keys whose misspelling is found and has one fix.
    assert len(places) >= 2, dialect.name
    broken = text
    for match in reversed(places):
        broken = broken[: match.start()] + misspelled(match["key"]) + broken[match.end("key") :]
    fixed = fix_all(broken, find)
    assert fixed.text == text
    assert fixed.count >= len(places)
