"""
JSON columns as text: most workloads share theirs with many others, so each text is read once.

What is returned is shared, too: nobody may change it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from django.db.models import TextField
from django.db.models.functions import Cast

from console.engine.model.decision import Assignment
from console.engine.model.preemption_loops import NEVER, Stops
from console.engine.model.workload import PodSet
from console.workloads.stored_assignments import decode_assignment
from console.workloads.stored_facts import OptionalFacts, decode_facts
from console.workloads.stored_pod_sets import decode_pod_sets

#: Texts that are remembered of each kind; a million live workloads have few thousand.
_MOST: Final = 20_000


def as_text(column: str) -> Cast:
    """Return what selects *column*, of JSON or of moments, as its text."""
    return Cast(column, TextField())


@lru_cache(maxsize=_MOST)
def labels_of(text: str) -> Mapping[str, str]:
    """Return the labels of a workload."""
    labels: dict[str, str] = json.loads(text)
    return labels


@lru_cache(maxsize=_MOST)
def pod_sets_of(text: str, requests: str) -> tuple[PodSet, ...]:
    """Return the pod sets of a workload, which are told by its *requests* where it has one."""
    return decode_pod_sets(json.loads(text), json.loads(requests))


@lru_cache(maxsize=_MOST)
def groups_of(text: str) -> tuple[str, ...]:
    """Return the groups of the user of a workload."""
    return tuple(json.loads(text))


@lru_cache(maxsize=_MOST)
def facts_of(text: str | None) -> OptionalFacts:
    """Return the optional facts of a workload."""
    return decode_facts(None if text is None else json.loads(text))


@lru_cache(maxsize=_MOST)
def assignment_of(text: str) -> Assignment:
    """Return the assignment of a workload."""
    return decode_assignment(json.loads(text))


def stops_of(text: str) -> Stops:
    """
    Return every time a workload was told to stop, by the id of the preemptor.

    Rows of before situations were kept say how often alone: two such stops count as alike.
    """
    if text == "{}":
        return NEVER
    stops: dict[str, int | list[str]] = json.loads(text)
    return {
        uid: ("",) * told if isinstance(told, int) else tuple(told) for uid, told in stops.items()
    }
