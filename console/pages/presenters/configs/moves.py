"""Rows and fields of the form that moves a rule to another position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from console.dialects.objects import vocabulary_of
from console.engine.diff.objects import PolicyObject
from console.engine.model.origin import Origin
from console.pages.presenters.configs.change_parts import counted_name

#: Maximum number of listed rules: those around the chosen one.
MOST_RULES: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleLine:
    """One rule of the list."""

    #: Its position, from 1.
    number: int
    text: str
    origin: Origin | None
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionField:
    """A field with the position of a rule, from 1."""

    name: str
    label: str
    hint: str
    value: str
    error: str


def rule_lines(rules: Sequence[PolicyObject], dialect: str, around: int) -> tuple[RuleLine, ...]:
    """Return the rules of a config in *dialect* around position *around*, in order."""
    first = max(0, min(around - 1 - MOST_RULES // 2, len(rules) - MOST_RULES))
    vocabulary = vocabulary_of(dialect)
    return tuple(
        RuleLine(
            number=place,
            text=f"{words.singular.capitalize()} {counted_name(words, each.key)}",
            origin=each.origin,
            is_chosen=place == around,
        )
        for place, each in enumerate(rules[first : first + MOST_RULES], first + 1)
        for words in (vocabulary.of(each.kind.name),)
    )


def position_fields(
    values: Mapping[str, str], errors: Mapping[str, str], count: int
) -> tuple[PositionField, ...]:
    """Return the fields with the sent *values* and *errors*; there are *count* rules."""
    return tuple(
        PositionField(
            name=name,
            label=label,
            hint=f"{hint}, from 1 to {count:,}.",
            value=values.get(name, ""),
            error=errors.get(name, ""),
        )
        for name, label, hint in (
            ("rule", "Rule", "Its present position"),
            ("to", "New position", "The position after the move"),
        )
    )
