"""
Optional facts of a workload in database rows: one JSON object, or null without facts.

Most workloads have none, and a null takes no storage in a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class OptionalFacts(NamedTuple):
    """Facts that few workloads have; see `console.engine.model.workload.Workload`."""

    is_preemptible: bool | None = None
    placement: Mapping[str, object] | None = None


def encode_facts(facts: OptionalFacts) -> dict[str, Any] | None:
    """
    Return *facts* in their stored form.

    >>> encode_facts(OptionalFacts(is_preemptible=False))
    {'preemptible': False}
    >>> encode_facts(OptionalFacts()) is None
    True
    """
    stored = {"preemptible": facts.is_preemptible, "placement": facts.placement}
    return {name: value for name, value in stored.items() if value is not None} or None


def decode_facts(stored: Mapping[str, Any] | None) -> OptionalFacts:
    """Return the facts of a value of `encode_facts`."""
    if not stored:
        return OptionalFacts()
    return OptionalFacts(stored.get("preemptible"), stored.get("placement"))
