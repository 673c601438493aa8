"""Sentences about expectations and their changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.engine.wording.words import listed

#: Words for changed properties of the workload of an expectation.
_WORKLOAD = {
    "labels": "other labels",
    "namespace": "another namespace",
    "priority": "another requested priority",
    "requests": "other requests",
}


def expected_place(queue: str | None, priority: int | None) -> str:
    """
    Return the expected queue and priority of a workload, without a period.

    >>> expected_place("research", 50), expected_place(None, None)
    ('expected in research with priority 50', 'expected to reach no queue')
    """
    if queue is None:
        return "expected to reach no queue"
    if priority is None:
        return f"expected in {queue}"
    return f"expected in {queue} with priority {priority}"


def expectation_event(data: Mapping[str, Any]) -> str:
    """
    Return the sentence about a change of an expectation, from its values before and after.

    Either of them is absent if the expectation was added or deleted.

    >>> expectation_event({"name": "ml", "after": {"name": "ml", "queue": "research"}})
    'Expectation ml was added: its workload is expected in research.'
    """
    name, before, after = data["name"], data.get("before"), data.get("after")
    if after is None:
        return f"Expectation {name} was deleted: its workload was {_place(before or {})}."
    if before is None:
        return f"Expectation {name} was added: its workload is {_place(after)}."
    parts = []
    if before["name"] != after["name"]:
        parts.append(f"renamed from {before['name']}")
    if _place(before) != _place(after):
        parts.append(f"its workload is {_place(after)} (before: {_place(before)})")
    others = [words for key, words in _WORKLOAD.items() if before.get(key) != after.get(key)]
    if others:
        parts.append(f"its workload has {listed(others)}")
    return f"Expectation {name} was changed: {'; '.join(parts)}."


def _place(facts: Mapping[str, Any]) -> str:
    return expected_place(facts.get("queue"), facts.get("effective_priority"))
