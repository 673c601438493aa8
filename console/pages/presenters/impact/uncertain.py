"""Unknown outcomes: the missing fact, and the rules that reference it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from console.engine.impact import DoubtKind
from console.engine.model.origin import Origin
from console.engine.wording.words import listed


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRef:
    """A rule as a person counts it, and its lines."""

    number: int
    origin: Origin | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtLine:
    """A fact that is missing, and who asks for it."""

    text: str
    rules: Sequence[RuleRef]
    flavors: str
    counts: str


def plural_count(number: int, noun: str) -> str:
    """
    Return a count with separators and its noun.

    >>> plural_count(18204, "submission")
    '18,204 submissions'
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def rule_ref(index: int | None, lines: Mapping[str, Sequence[int]]) -> RuleRef | None:
    """Return the rule of an index, if any; *lines* has its lines where they are known."""
    if index is None:
        return None
    span = lines.get(str(index))
    origin = Origin(span[0], 1, span[1], 1) if span else None
    return RuleRef(number=index + 1, origin=origin)


def missing_words(doubt: Mapping[str, str]) -> str:
    """Return what is missing, in words."""
    if doubt["kind"] == DoubtKind.NAMESPACE:
        return "the namespace"
    return f"the label {doubt['key']}"


def doubt_line(doubt: Mapping[str, Any], lines: Mapping[str, Sequence[int]]) -> DoubtLine:
    """Return a stored doubt in words; *lines* has those of the rules."""
    shapes = plural_count(doubt["shapes"], "shape")
    return DoubtLine(
        text=f"No recorded workload has {missing_words(doubt)}.",
        rules=[ref for index in doubt["rules"] if (ref := rule_ref(index, lines)) is not None],
        flavors=listed(doubt["flavors"]),
        counts=f"{shapes}, {plural_count(doubt['runs'], 'workload')}",
    )
