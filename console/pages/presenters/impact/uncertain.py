"""Rows of unknown outcomes: the missing fact, and the rules and flavors that reference it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from console.engine.impact import DoubtKind
from console.engine.model.origin import Origin
from console.engine.wording.words import listed
from console.pages.templatetags.ui import count


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRef:
    """A rule with its number, counted from 1, and its lines."""

    number: int
    origin: Origin | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtLine:
    """A missing fact, and the rules and flavors that reference it."""

    text: str
    rules: Sequence[RuleRef]
    flavors: str
    counts: str


def plural_count(number: int, noun: str) -> str:
    r"""
    Return a count with separators and its noun.

    >>> plural_count(18204, "submission")
    '18\u202f204 submissions'
    """
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def rule_ref(index: int | None, lines: Mapping[str, Sequence[int]]) -> RuleRef | None:
    """Return the rule at *index*, or None; *lines* maps indexes to known lines."""
    if index is None:
        return None
    span = lines.get(str(index))
    origin = Origin(span[0], 1, span[1], 1) if span else None
    return RuleRef(number=index + 1, origin=origin)


def missing_words(doubt: Mapping[str, str]) -> str:
    """Return the text of the missing fact."""
    if doubt["kind"] == DoubtKind.NAMESPACE:
        return "the namespace"
    return f"the label {doubt['key']}"


def doubt_line(doubt: Mapping[str, Any], lines: Mapping[str, Sequence[int]]) -> DoubtLine:
    """Return the row of a stored doubt; *lines* maps indexes of rules to their lines."""
    shapes = plural_count(doubt["shapes"], "shape")
    return DoubtLine(
        text=f"No recorded workload has {missing_words(doubt)}.",
        rules=[ref for index in doubt["rules"] if (ref := rule_ref(index, lines)) is not None],
        flavors=listed(doubt["flavors"]),
        counts=f"{shapes}, {plural_count(doubt['runs'], 'workload')}",
    )
