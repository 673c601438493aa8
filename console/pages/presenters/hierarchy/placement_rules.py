"""Rows of the page of placement rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from console.engine.disciplines.hierarchy.placement_words import filter_sentence, rule_sentence
from console.engine.wording.words import sentence_case
from console.workloads.queries.hierarchy.placement_hits import RuleWithHits


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRow:
    """One placement rule."""

    found: RuleWithHits
    #: From 1.
    number: int
    text: str
    filter: str


def rule_rows(rules: Iterable[RuleWithHits]) -> tuple[RuleRow, ...]:
    """Return the rows of placement rules."""
    return tuple(
        RuleRow(
            found=each,
            number=each.index + 1,
            text=f"{sentence_case(rule_sentence(each.rule))}.",
            filter=filter_sentence(each.rule),
        )
        for each in rules
    )
