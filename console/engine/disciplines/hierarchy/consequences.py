"""Consequences of another policy: usage above lowered amounts, and leaves that become parents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from console.engine.disciplines.hierarchy.inheritance import settings_of_queue
from console.engine.disciplines.hierarchy.ledger import HierarchyLedger, names_of
from console.engine.disciplines.hierarchy.spec import HierarchySpec, hierarchy_of
from console.engine.model.amounts import UNLIMITED, Amount
from console.engine.model.consequences import (
    ConsequenceCode,
    Excess,
    Finding,
    Limit,
    queue_finding,
)
from console.engine.model.history import Live
from console.engine.model.policy import Policy


def consequences(old: Policy | None, new: Policy, live: Live) -> Iterator[Finding]:
    """Yield queues that use more than a maximum or guarantee that *new* lowers, and new parents."""
    before, after = HierarchyLedger(_spec(old)), _charged(new, live)
    above_maximum = tuple(_excesses(before, after, live, of_guarantees=False))
    known = {(each.name, each.key) for each in above_maximum}
    above_guarantee = tuple(
        each
        for each in _excesses(before, after, live, of_guarantees=True)
        if (each.name, each.key) not in known
    )
    for kind in (Limit.STOPPING, Limit.QUEUE, Limit.GUARANTEE):
        excesses = tuple(each for each in above_maximum + above_guarantee if each.limit is kind)
        if excesses:
            names = list(dict.fromkeys(each.name for each in excesses))
            finding = queue_finding(ConsequenceCode.OVER_NOMINAL, names, live)
            yield replace(finding, excesses=excesses)
    parents = [
        name
        for name in sorted(live.running.keys() | live.pending.keys())
        if _is_parent(after.spec, name) and not _is_parent(before.spec, name)
    ]
    if parents:
        yield queue_finding(ConsequenceCode.QUEUE_BECOMES_PARENT, parents, live)


def _spec(policy: Policy | None) -> HierarchySpec:
    """Return the spec of a policy; of one of another discipline, a spec without queues."""
    return HierarchySpec() if policy is None else hierarchy_of(policy)


def _charged(policy: Policy, live: Live) -> HierarchyLedger:
    ledger = HierarchyLedger(hierarchy_of(policy))
    for name, usage in live.usage.items():
        ledger.add(name, usage)
    return ledger


def _excesses(
    before: HierarchyLedger, after: HierarchyLedger, live: Live, *, of_guarantees: bool
) -> Iterator[Excess]:
    for name in dict.fromkeys((*after.spec.queues, *live.usage)):
        if not after.knows(name):
            continue
        account = after.queue(name)
        for key in after.keys:
            used = account.used(key)
            former: Amount = UNLIMITED
            if of_guarantees:
                bound = after.guaranteed(name, key)
                former = before.guaranteed(name, key)
            else:
                bound = after.limit(name, key)
                # A queue that the older policy lacks drained without a maximum.
                if before.knows(name):
                    former = before.limit(name, key)
            if isinstance(bound, int) and used > bound and former > bound:
                yield Excess(
                    name=name,
                    flavor=key[0],
                    resource=key[1],
                    used=used,
                    quota=bound,
                    peak=used,
                    holders=tuple(
                        each
                        for each, usage in live.usage.items()
                        if name in (each, *after.path(each)) and any(usage.values())
                    ),
                    limit=Limit.GUARANTEE if of_guarantees else _kind(after.spec, name),
                    requested=names_of(key),
                )


def _kind(spec: HierarchySpec, name: str) -> Limit:
    """Return whether pods above the maximum of a queue stop."""
    partition, _ = spec.split(name)
    stops = partition is not None and partition.preempts_over_maximum
    if stops and settings_of_queue(spec, name).quota_preemption_delay:
        return Limit.STOPPING
    return Limit.QUEUE


def _is_parent(spec: HierarchySpec, name: str) -> bool:
    queue = spec.queues.get(name)
    return queue is not None and not queue.is_leaf
