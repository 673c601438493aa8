"""Response bodies of placement rules."""

from __future__ import annotations

from typing import Any

from console.api.answers.configs import range_answer
from console.engine.disciplines.hierarchy.placement_words import filter_sentence, rule_sentence
from console.workloads.queries.hierarchy.placement_hits import PlacementHits


def placement_rules_answer(hits: PlacementHits | None) -> dict[str, Any]:
    """Return the rules with their numbers; nothing without rules."""
    found = hits or PlacementHits()
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
            for each in found.rules
        ],
        "by_default": found.by_default,
        "rejected": found.rejected,
        "is_complete": found.is_complete,
    }
