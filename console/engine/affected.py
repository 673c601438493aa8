"""How many live workloads a change of config concerns, as a bound that costs no look at them."""

from __future__ import annotations

from collections.abc import Iterable

from console.engine.diff import Change, Noun
from console.engine.history import Live
from console.engine.policy import Policy

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
    found = tuple(changes)
    queues = {
        name for policy in (old, new) for name in policy.queues if _touched(policy, name, found)
    }
    reroutes = any(change.noun in _ROUTING for change in found)
    waiting = live.pending if reroutes else queues & live.pending.keys()
    return sum(live.running.get(name, 0) for name in queues) + sum(
        live.pending[name] for name in waiting
    )


def _touched(policy: Policy, name: str, changes: tuple[Change, ...]) -> bool:
    queue = policy.queues[name]
    flavors = {quotas.flavor for group in queue.groups for quotas in group.flavors}
    above = set(_cohorts_above(policy, queue.parent))
    concerned = {Noun.QUEUE: {name}, Noun.COHORT: above, Noun.FLAVOR: flavors}
    return any(
        {change.name, change.old_name} & concerned.get(change.noun, set()) for change in changes
    )


def _cohorts_above(policy: Policy, name: str | None) -> Iterable[str]:
    seen: set[str] = set()
    while name is not None and name not in seen:
        seen.add(name)
        cohort = policy.cohorts.get(name)
        name = cohort.parent if cohort else None
    return seen
