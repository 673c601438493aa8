"""The cohort hierarchy of a policy: the queues and cohorts that each cohort contains."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from console.engine.disciplines.quota.spec import spec_of
from console.engine.disciplines.read_model import Member
from console.engine.model.policy import Policy


class Hierarchy:
    """
    The members of every cohort.

    In the order of the text, the queues of a cohort before the cohorts in it.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._parents = {cohort.name: cohort.parent for cohort in spec_of(policy).cohorts.values()}
        self._queues: defaultdict[str, list[str]] = defaultdict(list)
        self._cohorts: defaultdict[str, list[str]] = defaultdict(list)
        for queue in policy.queues.values():
            if queue.parent is not None:
                self._queues[queue.parent].append(queue.name)
        for cohort in spec_of(policy).cohorts.values():
            if cohort.parent is not None:
                self._cohorts[cohort.parent].append(cohort.name)
        #: All cohorts.
        self.names = tuple(self._parents)
        #: Cohorts without a parent.
        self.roots = tuple(name for name, parent in self._parents.items() if parent is None)

    def queues(self, cohort: str) -> tuple[str, ...]:
        """Return the queues directly in *cohort*."""
        return tuple(self._queues.get(cohort, ()))

    def cohorts(self, cohort: str) -> tuple[str, ...]:
        """Return the cohorts directly in *cohort*."""
        return tuple(self._cohorts.get(cohort, ()))

    def path(self, cohort: str) -> tuple[str, ...]:
        """Return the cohorts around *cohort*, the root first; empty for a root."""
        names: list[str] = []
        above = self._parents[cohort]
        while above is not None:
            names.append(above)
            above = self._parents[above]
        return tuple(reversed(names))

    def below(self, cohort: str, depth: int = 1) -> Iterator[Member]:
        """Yield all queues and cohorts below *cohort*, each cohort before its members."""
        for name in self.queues(cohort):
            yield Member(name, False, cohort, depth)
        for name in self.cohorts(cohort):
            yield Member(name, True, cohort, depth)
            yield from self.below(name, depth + 1)

    def around(self, queue: str) -> tuple[str, ...]:
        """Return the queues in the tree of *queue*, itself included; raises KeyError if unknown."""
        parent = self._policy.queues[queue].parent
        if parent is None:
            return (queue,)
        return self.queues_below(next(iter(self.path(parent)), parent))

    def queues_below(self, cohort: str) -> tuple[str, ...]:
        """Return the queues of *cohort* and of all cohorts in it."""
        return tuple(member.name for member in self.below(cohort) if not member.is_cohort)
