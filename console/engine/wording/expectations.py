"""Expectations in words: what is expected, and how somebody changed it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.engine.wording.words import listed

#: What a changed expectation may ask of another workload, in words.
_WORKLOAD = {
    "labels": "other labels",
    "namespace": "another namespace",
    "priority": "another requested priority",
    "requests": "other requests",
}


def expected_place(queue: str | None, priority: int | None) -> str:
    """
    Return where a workload is expected, without a period.

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
    Return what happened to an expectation, from its facts before and after; absent: none.

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
