"""Subjects of series: a queue, a cohort, the whole organization, or a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from console.engine.model.policy import Policy
from console.series.models import Kind


class Subject(NamedTuple):
    """A queue, a cohort, a cluster, or the whole organization, whose name is empty."""

    kind: str
    name: str = ""

    @classmethod
    def queue(cls, name: str) -> Subject:
        """Return the subject of a queue."""
        return cls(Kind.QUEUE.value, name)

    @classmethod
    def cohort(cls, name: str) -> Subject:
        """Return the subject of a cohort."""
        return cls(Kind.COHORT.value, name)

    @classmethod
    def cluster(cls, name: str) -> Subject:
        """Return the subject of a cluster."""
        return cls(Kind.CLUSTER.value, name)


#: The whole organization.
WHOLE_ORG = Subject(Kind.ORG.value)


def subjects_of(queue: str | None, policy: Policy) -> Iterator[Subject]:
    """Yield the subjects that count events of *queue*: the organization, the queue, its cohorts."""
    yield WHOLE_ORG
    if queue is None:
        return
    yield Subject.queue(queue)
    if policy.queue(queue) is not None:
        yield from map(Subject.cohort, policy.spec.path(queue))
