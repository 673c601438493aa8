"""Subjects: what a series is about, which is a queue, a cohort, or all of an organization."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from console.engine.model.policy import Policy
from console.series.models import Kind


class Subject(NamedTuple):
    """A queue, a cohort, or the organization itself, whose name is empty."""

    kind: str
    name: str = ""

    @classmethod
    def queue(cls, name: str) -> Subject:
        """Return a queue."""
        return cls(Kind.QUEUE.value, name)

    @classmethod
    def cohort(cls, name: str) -> Subject:
        """Return a cohort."""
        return cls(Kind.COHORT.value, name)


#: The whole organization.
EVERYTHING = Subject(Kind.ORG.value)


def subjects_of(queue: str | None, policy: Policy) -> Iterator[Subject]:
    """Yield all that counts what happens in *queue*: itself, the cohorts around it, everything."""
    yield EVERYTHING
    if queue is None:
        return
    yield Subject.queue(queue)
    if queue in policy.queues:
        yield from map(Subject.cohort, policy.spec.path(queue))
