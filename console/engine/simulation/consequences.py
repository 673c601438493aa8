"""Finds the consequences of an apply that a person has to accept first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from console.engine.disciplines import load_discipline
from console.engine.model.consequences import (
    ConsequenceCode,
    Finding,
    queue_finding,
)
from console.engine.model.history import Live
from console.engine.model.policy import Policy, StopPolicy
from console.engine.routing.local_queues import local_routing_of


def simulate_consequences(
    old: Policy | None,
    new: Policy,
    live: Live,
    heirs: Mapping[str, str] | None = None,
    continued: Mapping[str, str] | None = None,
) -> tuple[Finding, ...]:
    """
    Return the consequences for *live* workloads and for routing when *new* replaces *old*.

    *old* is None before the first config, which has no consequences. *heirs* are the queues
    that drain already, each with the queue of *old* that replaced it. *continued* are removed
    queues with the queue of *new* that is the same one under another name. The gravest come first.
    """
    if old is None:
        return ()
    found = (
        *_stopped(old, new, live),
        *_gone(old, new, live, heirs or {}, continued or {}),
        *_routing(old, new),
        *_of_the_discipline(old, new, live),
    )
    return tuple(sorted(found, key=lambda finding: -finding.level))


def successors(old: Policy, new: Policy) -> dict[str, str]:
    """
    Return the new queue that replaces each removed queue, by name.

    A new queue replaces an old one if all rules or local queues of the old queue that still
    exist route to the new one.
    """
    leads: dict[str, set[str]] = {}
    local_queues, new_local_queues = old.routing.entrances(), new.routing.entrances()
    for local_queue, queue in local_queues.items():
        if queue not in new.queues and local_queue in new_local_queues:
            leads.setdefault(queue, set()).add(new_local_queues[local_queue])
    return {
        queue: name
        for queue, (name, *others) in leads.items()
        if not others and name in new.queues and name not in old.queues
    }


def _routing(old: Policy, new: Policy) -> Iterator[Finding]:
    if new.routing.is_without_quota and not old.routing.is_without_quota:
        yield Finding(code=ConsequenceCode.QUOTA_DROPPED)
    elif old.routing.takes_everything and not new.routing.takes_everything:
        yield Finding(code=ConsequenceCode.CATCH_ALL_LOST)


def _gone(
    old: Policy, new: Policy, live: Live, heirs: Mapping[str, str], continued: Mapping[str, str]
) -> Iterator[Finding]:
    gone = [name for name in old.queues if name not in new.queues]
    renamed = {**successors(old, new), **continued}
    removed = [name for name in gone if name not in renamed and _has_work(live, name)]
    if removed:
        yield queue_finding(ConsequenceCode.QUEUE_REMOVED, removed, live)
    draining = {name: renamed[name] for name in gone if name in renamed}
    # Queues that drain since an earlier rename share the quota with the next queue, too.
    busy = {name: after for name, after in draining.items() if _has_work(live, name)} | {
        name: draining[heir]
        for name, heir in heirs.items()
        if heir in draining and draining[heir] != name and not _has_work(live, heir)
    }
    if busy:
        found = queue_finding(ConsequenceCode.QUEUE_DRAINS, list(busy), live, busy)
        discipline = load_discipline(new.discipline)
        yield replace(
            found,
            is_continued=draining.items() <= continued.items(),
            excesses=discipline.excess_beside_draining(draining, old, new, live, heirs),
        )


def _stopped(old: Policy, new: Policy, live: Live) -> Iterator[Finding]:
    """Yield findings about queues with workloads, and their local queues, that *new* stops."""
    before, after = _stops(old), _stops(new)
    stopped: dict[ConsequenceCode, list[_Stoppable]] = {}
    for local_queue, (queue, stop) in after.items():
        was = before[local_queue][1] if local_queue in before else StopPolicy.NONE
        drains = stop is StopPolicy.HOLD_AND_DRAIN and was is not stop
        if drains and live.running.get(queue):
            stopped.setdefault(ConsequenceCode.WORK_EVICTED, []).append(local_queue)
        elif stop is not StopPolicy.NONE and was is StopPolicy.NONE and live.pending.get(queue):
            stopped.setdefault(ConsequenceCode.QUEUE_STOPPED, []).append(local_queue)
    for code, local_queues in stopped.items():
        queues = dict.fromkeys(after[local_queue][0] for local_queue in local_queues)
        yield replace(
            queue_finding(code, list(queues), live),
            names=tuple(name for namespace, name in local_queues if namespace is None),
            local_queues=tuple(
                f"{space}/{name}" for space, name in local_queues if space is not None
            ),
        )


#: A queue, without a namespace, or a local queue.
_Stoppable: TypeAlias = tuple[str | None, str]


def _stops(policy: Policy) -> dict[_Stoppable, tuple[str, StopPolicy]]:
    """Return the queue and the stop policy of every queue and local queue."""
    stops: dict[_Stoppable, tuple[str, StopPolicy]] = {
        (None, name): (name, queue.stop) for name, queue in policy.queues.items()
    }
    routing = local_routing_of(policy)
    for key, local_queue in routing.local_queues.items() if routing is not None else ():
        stops[key] = (local_queue.queue, local_queue.stop)
    return stops


def _of_the_discipline(old: Policy, new: Policy, live: Live) -> Iterable[Finding]:
    """Return the findings of the discipline of *new*."""
    comparable = old if old.discipline == new.discipline else None
    return load_discipline(new.discipline).consequences(comparable, new, live)


def _has_work(live: Live, queue: str) -> bool:
    return bool(live.running.get(queue) or live.pending.get(queue))
