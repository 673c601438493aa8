"""How many live workloads a change of config concerns, as a bound that costs no look at them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from console.engine.diff import Change, Noun
from console.engine.history import Live
from console.engine.policy import Policy, Queue

#: What decides where a workload goes.
_ROUTING = frozenset(
    {Noun.RULE, Noun.LOCAL_QUEUE, Noun.NAMESPACE, Noun.PRIORITY_CLASS, Noun.SETTINGS}
)


def affected_workloads(old: Policy, new: Policy, changes: Iterable[Change], live: Live) -> int:
    """
    Return how many workloads of *live* the change from *old* to *new* may concern, at most.

    That is what runs and waits in queues that change, alone or with their cohort or a flavor of
    theirs; and all that waits when routing changes, because it is routed again.
    """
    concerned: dict[Noun, set[str]] = {noun: set() for noun in Noun}
    for change in changes:
        concerned[change.noun] |= {change.name, change.old_name}
    queues = {
        queue.name
        for policy in (old, new)
        for queue in policy.queues.values()
        if _is_touched(policy, queue, concerned)
    }
    reroutes = any(concerned[noun] for noun in _ROUTING)
    waiting = live.pending if reroutes else queues & live.pending.keys()
    return sum(live.running.get(name, 0) for name in queues) + sum(
        live.pending[name] for name in waiting
    )


def _is_touched(policy: Policy, queue: Queue, concerned: Mapping[Noun, set[str]]) -> bool:
    flavors = {quotas.flavor for group in queue.groups for quotas in group.flavors}
    return (
        queue.name in concerned[Noun.QUEUE]
        or not concerned[Noun.FLAVOR].isdisjoint(flavors)
        or not concerned[Noun.COHORT].isdisjoint(_cohorts_above(policy, queue.parent))
    )


def _cohorts_above(policy: Policy, name: str | None) -> Iterable[str]:
    seen: set[str] = set()
    while name is not None and name not in seen:
        seen.add(name)
        cohort = policy.cohorts.get(name)
        name = cohort.parent if cohort else None
    return seen
