"""Consequences of another policy: usage above a lowered limit, or above a lowered quota."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from console.engine.disciplines.fairshare.ledger import KEYS, FairshareLedger, names_of
from console.engine.disciplines.fairshare.resources import EVERYTHING, Bounds
from console.engine.disciplines.fairshare.spec import FairshareSpec, fairshare_of
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
    """Yield the queues that use more than a limit or quota that *new* lowers."""
    spec = fairshare_of(new)
    ledger = FairshareLedger(spec)
    for name, usage in live.usage.items():
        if name in spec.queues:
            ledger.add(name, usage)
    above_limit = tuple(_excesses(old, new, live, ledger, Limit.QUEUE))
    known = {(each.name, each.key) for each in above_limit}
    above_quota = tuple(
        each
        for each in _excesses(old, new, live, ledger, Limit.QUOTA)
        if (each.name, each.key) not in known
    )
    for excesses in (above_limit, above_quota):
        if excesses:
            names = list(dict.fromkeys(each.name for each in excesses))
            finding = queue_finding(ConsequenceCode.OVER_NOMINAL, names, live)
            yield replace(finding, excesses=excesses)


def _excesses(
    old: Policy | None, new: Policy, live: Live, ledger: FairshareLedger, kind: Limit
) -> Iterator[Excess]:
    before = FairshareSpec() if old is None else fairshare_of(old)
    after = fairshare_of(new)
    for name in after.queues:
        account = ledger.queue(name)
        for place, key in enumerate(KEYS):
            used = account.used(key)
            bound = _bounds(after, name, kind)[place]
            if (
                isinstance(bound, int)
                and used > bound
                and _bounds(before, name, kind)[place] > bound
            ):
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
                    limit=kind,
                    requested=names_of(key),
                )


def _bounds(spec: FairshareSpec, name: str, kind: Limit) -> Bounds:
    """Return the limits or quotas of a queue; one that the policy lacks has no bounds."""
    queue = spec.queues.get(name)
    if queue is None:
        return EVERYTHING
    return queue.limit if kind is Limit.QUEUE else queue.quota
