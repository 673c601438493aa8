"""
Optional facts of a workload in database rows: one JSON object, or null without facts.

Most workloads have none, and a null takes no storage in a row.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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


def with_user(stored: str | None, user: str, groups: Sequence[str]) -> str:
    """
    Return the facts of a recorded shape as text, with the user and groups.

    >>> with_user(None, "ann", ["dev"])
    '{"user": "ann", "groups": ["dev"]}'
    """
    facts = {} if stored is None else json.loads(stored)
    return json.dumps({**facts, "user": user, **({"groups": [*groups]} if groups else {})})


def user_of(stored: Mapping[str, Any] | None) -> tuple[str, tuple[str, ...]]:
    """Return user and groups in the facts of a recorded shape; both are empty if unknown."""
    if not stored:
        return "", ()
    return stored.get("user", ""), tuple(stored.get("groups", ()))
