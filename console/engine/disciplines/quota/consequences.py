"""Consequences of a new quota policy: flavors that are lost, and usage beyond the new quota."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from console.engine.disciplines.quota.excess import over_quota
from console.engine.disciplines.quota.spec import spec_of
from console.engine.model.amounts import FlavorResource
from console.engine.model.consequences import ConsequenceCode, Finding, queue_finding
from console.engine.model.history import Live
from console.engine.model.policy import Policy


def consequences(old: Policy | None, new: Policy, live: Live) -> Iterator[Finding]:
    """Yield the consequences for quota when *new* replaces *old*."""
    yield from _flavors_lost(old, new, live)
    yield from _over_nominal(old, new, live)


def _flavors_lost(old: Policy | None, new: Policy, live: Live) -> Iterator[Finding]:
    queues = [
        name
        for name, usage in live.usage.items()
        # Passthrough queues assign no flavor, and this change does not lose a flavor lost before.
        if (queue := spec_of(new).queues.get(name)) is not None
        and not queue.is_passthrough
        and (lost := {key for key, used in usage.items() if used} - _places(new, name))
        and (old is None or not _places(old, name).isdisjoint(lost))
    ]
    if queues:
        yield queue_finding(ConsequenceCode.FLAVOR_LOST, queues, live)


def _over_nominal(old: Policy | None, new: Policy, live: Live) -> Iterator[Finding]:
    excesses = over_quota(old, new, live)
    if excesses:
        queues = list(dict.fromkeys(name for excess in excesses for name in excess.holders))
        yield replace(queue_finding(ConsequenceCode.OVER_NOMINAL, queues, live), excesses=excesses)


def _places(policy: Policy, queue: str) -> set[FlavorResource]:
    """Return the flavor-resources that workloads of *queue* may use."""
    owner = spec_of(policy).queues.get(queue)
    return {
        (quotas.flavor, resource)
        for group in (owner.groups if owner else ())
        for quotas in group.flavors
        if quotas.flavor in spec_of(policy).flavors
        for resource in group.resources
    }
