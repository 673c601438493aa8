"""Builders for worked examples: policies and workloads of one resource in whole numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.engine.disciplines.quota.spec import (
    Cohort,
    FairStrategy,
    Flavor,
    FlavorQuotas,
    QueueSpec,
    Quota,
    QuotaSettings,
    ResourceGroup,
    Undeclared,
    quota_policy,
)
from console.engine.model.amounts import UNLIMITED, WEIGHT_ONE
from console.engine.model.decision import PodSetAssignment
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet, Workload
from tests.engine.reference_model.world import Running, Waiting, World

CPU = "cpu"
FLAVOR = "f"

#: Nominal quota, or (nominal, borrowing limit, lending limit) with None for no limit.
Written = int | tuple[int, int | None, int | None]


def quota(written: Written) -> Quota:
    """Return a quota from its nominal amount, or from nominal quota and both limits."""
    nominal, borrow, lend = (written, None, None) if isinstance(written, int) else written
    return Quota(
        nominal=nominal,
        borrowing_limit=UNLIMITED if borrow is None else borrow,
        lending_limit=UNLIMITED if lend is None else lend,
    )


def groups(*quotas: Mapping[str, Written], resource: str = CPU) -> tuple[ResourceGroup, ...]:
    """Return a resource group for each mapping of flavors to quotas."""
    return tuple(
        ResourceGroup(
            resources=(resource,),
            flavors=tuple(
                FlavorQuotas(flavor=flavor, quotas={resource: quota(written)})
                for flavor, written in each.items()
            ),
        )
        for each in quotas
    )


def _quotas(written: Written | Mapping[str, Written]) -> tuple[ResourceGroup, ...]:
    return groups(written if isinstance(written, Mapping) else {FLAVOR: written})


def queue(
    name: str,
    written: Written | Mapping[str, Written],
    parent: str | None = None,
    *,
    weight: float = 1,
    **fields: Any,
) -> QueueSpec:
    """Return a queue with quota of flavor ``f``, or of each flavor in a mapping."""
    return QueueSpec(
        name=name,
        parent=parent,
        groups=fields.pop("groups", None) or _quotas(written),
        fair_weight=int(weight * WEIGHT_ONE),
        **fields,
    )


def cohort(
    name: str, written: Written | Mapping[str, Written] = 0, parent: str | None = None
) -> Cohort:
    """Return a cohort with quota of flavor ``f``, or of each flavor in a mapping."""
    return Cohort(name=name, parent=parent, groups=_quotas(written))


def policy(
    *nodes: QueueSpec | Cohort,
    strategies: tuple[FairStrategy, ...] = (),
    flavors: Mapping[str, Mapping[str, str]] | None = None,
) -> Policy:
    """Return a policy of *nodes*, with cohorts for missing parents; *flavors* have labels."""
    cohorts = {each.name: each for each in nodes if isinstance(each, Cohort)}
    for each in nodes:
        if each.parent is not None:
            cohorts.setdefault(each.parent, Cohort(name=each.parent))
    labels = flavors or {}
    named = {
        flavor.flavor: labels.get(flavor.flavor, {})
        for each in nodes
        for group in each.groups
        for flavor in group.flavors
    }
    return quota_policy(
        "kueue",
        flavors={name: Flavor(name=name, node_labels=each) for name, each in named.items()},
        queues={each.name: each for each in nodes if isinstance(each, QueueSpec)},
        cohorts=cohorts,
        settings=QuotaSettings(
            fair_sharing=strategies, undeclared=Undeclared.BLOCK, zeros_take_flavors=True
        ),
    )


def running(
    name: str, at: str, amount: int, *, priority: int = 0, time: int = 0, flavor: str = FLAVOR
) -> Running:
    """Return a running workload that uses *amount* in queue *at* since *time*."""
    return Running(
        workload=Workload(
            id=name, sequence=time, pod_sets=(PodSet(requests={CPU: amount}),), priority=priority
        ),
        queue=at,
        priority=priority,
        assignment=(PodSetAssignment(name="main", count=1, flavors={CPU: flavor}),),
        reservation=time,
    )


def waiting(
    name: str,
    at: str,
    amount: int = 0,
    *,
    priority: int = 0,
    sequence: int = 1000,
    pod_sets: tuple[PodSet, ...] = (),
) -> Waiting:
    """Return a workload that is pending in queue *at* for *amount*, or for its pod sets."""
    return Waiting(
        workload=Workload(
            id=name,
            sequence=sequence,
            pod_sets=pod_sets or (PodSet(requests={CPU: amount}),),
            priority=priority,
        ),
        queue=at,
        priority=priority,
    )


def world(policy_: Policy, *held: Running, pending: tuple[Waiting, ...] = ()) -> World:
    """Return the world of *policy_* in which *held* run and *pending* wait."""
    return World(policy=policy_, running=list(held), waiting=list(pending))
