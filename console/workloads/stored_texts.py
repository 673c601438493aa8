"""
Decoders of JSON columns that are read as text, cached, because many workloads share their texts.

The decoded values are shared as well: callers must not change them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from django.db.models import TextField
from django.db.models.functions import Cast

from console.engine.live.pod_changes import with_count
from console.engine.model.decision import Assignment
from console.engine.model.preemption_loops import NEVER, Stops
from console.engine.model.workload import PodSet
from console.workloads.stored_assignments import decode_assignment
from console.workloads.stored_facts import OptionalFacts, decode_facts
from console.workloads.stored_pod_sets import decode_pod_sets

#: Maximum number of cached texts of each kind; a million live workloads have few thousand.
_MOST: Final = 20_000


def as_text(column: str) -> Cast:
    """Return an expression that selects *column*, of JSON or of times, as text."""
    return Cast(column, TextField())


@lru_cache(maxsize=_MOST)
def labels_of(text: str) -> Mapping[str, str]:
    """Return the labels of a workload."""
    labels: dict[str, str] = json.loads(text)
    return labels


@lru_cache(maxsize=_MOST)
def pod_sets_of(text: str, requests: str) -> tuple[PodSet, ...]:
    """Return the pod sets of a workload; a single plain one is given by its *requests*."""
    return decode_pod_sets(json.loads(text), json.loads(requests))


def remaining_pod_sets(pod_sets: tuple[PodSet, ...], remaining: str) -> tuple[PodSet, ...]:
    """Return *pod_sets* without the pods that have finished; *remaining* is of its column."""
    counts: dict[str, int] = json.loads(remaining)
    return tuple(with_count(each, counts.get(each.name, each.count)) for each in pod_sets)


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
    Return the preemptions of a workload by id of the preemptor.

    Old rows contain numbers of preemptions instead of situations: these preemptions count as equal.
    """
    if text == "{}":
        return NEVER
    stops: dict[str, int | list[str]] = json.loads(text)
    return {
        uid: ("",) * told if isinstance(told, int) else tuple(told) for uid, told in stops.items()
    }
