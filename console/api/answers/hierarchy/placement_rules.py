"""Response bodies of placement rules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from console.api.answers.configs import range_answer
from console.engine.disciplines.hierarchy.placement_words import filter_sentence, rule_sentence
from console.workloads.queries.hierarchy.placement_hits import PlacementHits, RuleWithHits


def placement_rules_answer(
    found: PlacementHits, rules: Iterable[RuleWithHits], cursor: str | None
) -> dict[str, Any]:
    """Return a page of rules with their numbers; *cursor* is that of the rest, None at the end."""
    return {
        "rules": [
            {
                "partition": each.partition,
                "rule_index": each.index,
                "text": rule_sentence(each.rule),
                "filter": filter_sentence(each.rule),
                "creates": each.rule.creates,
                "placed": each.placed,
                "range": range_answer(each.rule.origin),
            }
            for each in rules
        ],
        "next": cursor,
        "by_default": found.by_default,
        "rejected": found.rejected,
        "unknown": found.unknown,
        "is_complete": found.is_complete,
    }
