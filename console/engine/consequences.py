"""What an apply would do that nobody should be surprised by, found before it is done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import TypeAlias

from console.engine.diff.renames import find_renames
from console.engine.diff.values import Noun
from console.engine.excess import Excess, beside_draining, over_quota
from console.engine.history import Live
from console.engine.ledger import FlavorResource
from console.engine.policy import Policy, StopPolicy


class Gravity(IntEnum):
    """How deliberately a consequence has to be accepted."""

    #: By the button, whose text says it.
    BUTTON = 1
    #: By name.
    NAMED = 2
    #: By name, and by typing the number of the version.
    TYPED = 3


class ConsequenceCode(StrEnum):
    """What may follow from an apply; programs accept a consequence by its code."""

    WORK_EVICTED = "work_evicted"
    QUEUE_REMOVED = "queue_removed"
    CATCH_ALL_LOST = "catch_all_lost"
    QUOTA_DROPPED = "quota_dropped"
    QUEUE_DRAINS = "queue_drains"
    QUEUE_STOPPED = "queue_stopped"
    PENDING_REJECTED = "pending_rejected"
    OVER_NOMINAL = "over_nominal"
    FLAVOR_LOST = "flavor_lost"
    DIALECT_CHANGED = "dialect_changed"
    WARNINGS_ADDED = "warnings_added"
    EXPECTATION_BROKEN = "expectation_broken"
    PREVIEW_UNAVAILABLE = "preview_unavailable"


GRAVITY: Mapping[ConsequenceCode, Gravity] = {
    code: Gravity.TYPED
    if code
    in (
        ConsequenceCode.WORK_EVICTED,
        ConsequenceCode.QUEUE_REMOVED,
        ConsequenceCode.CATCH_ALL_LOST,
        ConsequenceCode.QUOTA_DROPPED,
    )
    else Gravity.NAMED
    for code in ConsequenceCode
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One consequence as facts; `console.engine.explain.consequences` has its sentence."""

    code: ConsequenceCode
    #: Whom it concerns: queues, codes of warnings, expectations, languages.
    names: tuple[str, ...] = ()
    #: Local queues that it concerns, each with its namespace in front.
    local_queues: tuple[str, ...] = ()
    #: Name of a queue -> the one that takes its place.
    successors: Mapping[str, str] | None = None
    #: Workloads that run and wait in those queues, and in those that the local queues lead to.
    running: int = 0
    pending: int = 0
    #: Where more may be used than a queue or cohort will have.
    excesses: tuple[Excess, ...] = ()
    #: Whether the numbers are exact; if not, they are about right.
    is_exact: bool = True


def find(
    old: Policy | None, new: Policy, live: Live, heirs: Mapping[str, str] | None = None
) -> tuple[Finding, ...]:
    """
    Return what follows for *live* work and for routing when *new* takes the place of *old*.

    *old* is None before the first config, from which nothing follows. *heirs* are the queues
    that drain already, each with the queue of *old* that has its place. Gravest first.
    """
    if old is None:
        return ()
    found = (
        *_stopped(old, new, live),
        *_gone(old, new, live, heirs or {}),
        *_routing(old, new),
        *_flavors_lost(old, new, live),
        *_over_nominal(old, new, live),
    )
    return tuple(sorted(found, key=lambda finding: -GRAVITY[finding.code]))


def takes_everything(policy: Policy) -> bool:
    """Say whether there is no workload that *policy* turns away for its labels alone."""
    if policy.local_routing is not None:
        return False
    return not policy.rules or any(not rule.selector.expressions for rule in policy.rules)


def successors(old: Policy, new: Policy) -> dict[str, str]:
    """
    Return which new queue takes the place of which old one, by name.

    That is so when all that led to the one and still exists leads to the other.
    """
    leads: dict[str, set[str]] = {}
    doors, new_doors = _doors(old), _doors(new)
    for door, queue in doors.items():
        if queue not in new.queues and door in new_doors:
            leads.setdefault(queue, set()).add(new_doors[door])
    return {
        queue: name
        for queue, (name, *others) in leads.items()
        if not others and name in new.queues and name not in old.queues
    }


def place_takers(old: Policy, new: Policy, names: Iterable[str]) -> dict[str, str]:
    """
    Return which queue of *new* takes the place of which of the queues *names* of *old*, by name.

    A queue that is still there keeps its place. Of one that is gone it is its successor, or else
    the queue that says the same, or nearly, under another name.
    """
    gone = [name for name in names if name in old.queues and name not in new.queues]
    if not gone:
        return {}
    found = successors(old, new)
    if any(name not in found for name in gone):
        renamed = find_renames(old, new).old_names[Noun.QUEUE]
        found = {before: after for after, before in renamed.items()} | found
    return {name: found[name] for name in gone if name in found}


def _doors(policy: Policy) -> dict[object, str]:
    """Return what leads to queues, as far as it is not repeated, and where."""
    doors: dict[object, str] = {}
    for rule in policy.rules:
        expressions = rule.selector.expressions
        asked = tuple((each.key, each.operator, each.values) for each in expressions)
        doors.setdefault(asked, rule.queue)
    if policy.local_routing is not None:
        doors |= {key: door.queue for key, door in policy.local_routing.local_queues.items()}
    return doors


def _is_unlimited(policy: Policy) -> bool:
    return policy.local_routing is None and not policy.rules


def _routing(old: Policy, new: Policy) -> Iterator[Finding]:
    if _is_unlimited(new) and not _is_unlimited(old):
        yield Finding(code=ConsequenceCode.QUOTA_DROPPED)
    elif takes_everything(old) and not takes_everything(new):
        yield Finding(code=ConsequenceCode.CATCH_ALL_LOST)


def _gone(old: Policy, new: Policy, live: Live, heirs: Mapping[str, str]) -> Iterator[Finding]:
    gone = [name for name in old.queues if name not in new.queues and _has_work(live, name)]
    renamed = successors(old, new)
    draining = {name: renamed[name] for name in gone if name in renamed}
    removed = [name for name in gone if name not in draining]
    if removed:
        yield _of_queues(ConsequenceCode.QUEUE_REMOVED, removed, live)
    if draining:
        found = _of_queues(ConsequenceCode.QUEUE_DRAINS, list(draining), live, draining)
        yield replace(found, excesses=beside_draining(draining, new, live, heirs))


def _stopped(old: Policy, new: Policy, live: Live) -> Iterator[Finding]:
    """Yield what the new text stops of queues with work, and of local queues that lead to them."""
    before, after = _stops(old), _stops(new)
    stopped: dict[ConsequenceCode, list[_Door]] = {}
    for door, (queue, stop) in after.items():
        was = before[door][1] if door in before else StopPolicy.NONE
        drains = stop is StopPolicy.HOLD_AND_DRAIN and was is not stop
        if drains and live.running.get(queue):
            stopped.setdefault(ConsequenceCode.WORK_EVICTED, []).append(door)
        elif stop is not StopPolicy.NONE and was is StopPolicy.NONE and live.pending.get(queue):
            stopped.setdefault(ConsequenceCode.QUEUE_STOPPED, []).append(door)
    for code, doors in stopped.items():
        queues = dict.fromkeys(after[door][0] for door in doors)
        yield replace(
            _of_queues(code, list(queues), live),
            names=tuple(name for namespace, name in doors if namespace is None),
            local_queues=tuple(f"{space}/{name}" for space, name in doors if space is not None),
        )


#: A queue, without a namespace, or a local queue.
_Door: TypeAlias = tuple[str | None, str]


def _stops(policy: Policy) -> dict[_Door, tuple[str, StopPolicy]]:
    """Return what may be stopped: the queue it concerns, and whether it is."""
    stops: dict[_Door, tuple[str, StopPolicy]] = {
        (None, name): (name, queue.stop) for name, queue in policy.queues.items()
    }
    if policy.local_routing is not None:
        for key, door in policy.local_routing.local_queues.items():
            stops[key] = (door.queue, door.stop)
    return stops


def _flavors_lost(old: Policy, new: Policy, live: Live) -> Iterator[Finding]:
    queues = [
        name
        for name, usage in live.usage.items()
        # Without quota nobody is given a flavor, and what was lost before is not lost by this.
        if (queue := new.queues.get(name)) is not None
        and not queue.is_passthrough
        and not _places(old, name).isdisjoint(
            {key for key, used in usage.items() if used} - _places(new, name)
        )
    ]
    if queues:
        yield _of_queues(ConsequenceCode.FLAVOR_LOST, queues, live)


def _over_nominal(old: Policy, new: Policy, live: Live) -> Iterator[Finding]:
    excesses = over_quota(old, new, live)
    if excesses:
        queues = list(dict.fromkeys(name for excess in excesses for name in excess.holders))
        yield replace(_of_queues(ConsequenceCode.OVER_NOMINAL, queues, live), excesses=excesses)


def _places(policy: Policy, queue: str) -> set[FlavorResource]:
    """Return the flavor-resources that workloads of *queue* may be given."""
    owner = policy.queues.get(queue)
    return {
        (quotas.flavor, resource)
        for group in (owner.groups if owner else ())
        for quotas in group.flavors
        if quotas.flavor in policy.flavors
        for resource in group.resources
    }


def _has_work(live: Live, queue: str) -> bool:
    return bool(live.running.get(queue) or live.pending.get(queue))


def _of_queues(
    code: ConsequenceCode,
    names: list[str],
    live: Live,
    successors: Mapping[str, str] | None = None,
) -> Finding:
    return Finding(
        code=code,
        names=tuple(names),
        successors=successors,
        running=sum(live.running.get(name, 0) for name in names),
        pending=sum(live.pending.get(name, 0) for name in names),
    )
