"""Findings about lowered limits: lines whose usage exceeds the new limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from console.engine.disciplines.slots.spec import slots_of
from console.engine.model.amounts import UNLIMITED
from console.engine.model.consequences import ConsequenceCode, Excess, Finding, Limit, queue_finding
from console.engine.model.history import Live
from console.engine.model.policy import Policy


def consequences(old: Policy | None, new: Policy, live: Live) -> Iterator[Finding]:
    """Yield the lines whose usage exceeds the limit of *new*, and did not exceed that of *old*."""
    excesses = tuple(_excesses(old, new, live))
    if excesses:
        lines = list(dict.fromkeys(each.name for each in excesses))
        yield replace(queue_finding(ConsequenceCode.OVER_NOMINAL, lines, live), excesses=excesses)


def _excesses(old: Policy | None, new: Policy, live: Live) -> Iterator[Excess]:
    before = slots_of(old).queues if old is not None else {}
    after = slots_of(new).queues
    for name, usage in live.usage.items():
        if name not in after:
            continue
        was = before[name].limit if name in before else {}
        for (flavor, resource), used in sorted(usage.items()):
            limit = after[name].limit.get(resource, used)
            if used > limit and was.get(resource, UNLIMITED) > limit:
                yield Excess(
                    name=name,
                    flavor=flavor,
                    resource=resource,
                    used=used,
                    quota=limit,
                    peak=used,
                    holders=(name,),
                    limit=Limit.QUEUE,
                )
