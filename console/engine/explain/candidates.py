"""Candidates: the clusters that a discipline evaluated for one workload, as rows of a table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """The result of one cluster for one pod set."""

    pod_set: str
    cluster: str
    #: Its place in the order of trying, from 1; None: it was removed.
    order: int | None
    #: The stage that removed it, or that none did: a code, and the same in words.
    stage: str
    stage_title: str
    #: Why it was removed, or why it has this place.
    sentence: str
    #: Free capacity in thousandths, as the discipline counts it; zero if it was removed.
    capacity: int
    #: The weight of its best preference, and the largest weight of all preferences.
    weight: int
    largest_weight: int
    #: The score by which it is ranked, in words.
    score: str
    #: Pods that go, or would go, there, of all pods of the pod set.
    replicas: int
    wanted: int
