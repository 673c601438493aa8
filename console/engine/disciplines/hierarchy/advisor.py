"""The advisor: raises of one maximum, guarantee or limit, and ends of workloads, that help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from console.engine.counterfactual.attempts import Attempts
from console.engine.counterfactual.change import (
    Change,
    ChangeKind,
    QuotaNumber,
    SettingValues,
)
from console.engine.counterfactual.ending_workloads import ends_by_size
from console.engine.counterfactual.trials import Trials
from console.engine.disciplines.hierarchy.ledger import HierarchyLedger, counted
from console.engine.disciplines.hierarchy.nomination import (
    OF_APPLICATIONS,
    Check,
    HierarchyNomination,
    Stage,
)
from console.engine.disciplines.hierarchy.requests import scaled
from console.engine.disciplines.hierarchy.resources import VCORE, Resources
from console.engine.disciplines.hierarchy.spec import (
    POOL,
    HierarchyQueue,
    HierarchySpec,
    Limit,
    hierarchy_of,
)
from console.engine.disciplines.hierarchy.users import WILDCARD
from console.engine.live.running import Running
from console.engine.model.amounts import SCALE
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy

#: The most numbers to try, and the most changes to suggest: a proof costs a whole cycle.
_MOST_TRIED: Final = 8
_MOST_SHOWN: Final = 4

_NUMBERS: Final = {
    Stage.APPLICATION_LIMIT_QUEUE: QuotaNumber.MAXIMUM,
    Stage.APPLICATION_LIMIT_USER: QuotaNumber.USER_LIMIT,
    Stage.APPLICATION_LIMIT_GROUP: QuotaNumber.GROUP_LIMIT,
    Stage.USER_QUOTA: QuotaNumber.USER_LIMIT,
    Stage.GROUP_QUOTA: QuotaNumber.GROUP_LIMIT,
    Stage.QUEUE_QUOTA: QuotaNumber.MAXIMUM,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Raise:
    """One number of one queue of the config, in the units of `Resources`."""

    queue: str
    number: QuotaNumber
    #: Empty: the number of applications.
    resource: str = ""
    #: For limits: as the config names the user or group.
    holder: str = ""
    now: int
    to: int
    origin: Origin | None = None


class HierarchyAdvisor:
    """Suggests a larger maximum, limit or guarantee, and workloads to finish."""

    def changes(self, trials: Trials, setting_values: SettingValues | None) -> Iterable[Attempts]:
        """Return the searches; none while the queue admits nothing."""
        if trials.queue.barrier is not None:
            return ()
        attempts = [partial(_proven, trials, each) for each in _raises(trials)]
        sizes = {counted((POOL, name)) for name in trials.workload.total()}

        def size(running: Running) -> int:
            return sum(amount for key, amount in running.usage.items() if counted(key) in sizes)

        return (
            Attempts(
                ChangeKind.QUOTA,
                attempts,
                most_tried=trials.most(_MOST_TRIED),
                most_found=_MOST_SHOWN,
            ),
            ends_by_size(trials, size),
        )


def _raises(trials: Trials) -> Iterator[_Raise]:
    """
    Yield a raise of the number that refuses the start; without one, raises of guarantees.

    A larger guarantee lets the queue preempt pods of queues above theirs.
    """
    found = trials.nominate(trials.pending)
    if not isinstance(found, HierarchyNomination):
        return
    spec = hierarchy_of(trials.policy)
    if found.refusal is not None:
        yield from _of_check(spec, found.refusal)
        return
    ledger = trials.state.ledger
    assert isinstance(ledger, HierarchyLedger)
    for name in (trials.queue.name, *spec.path(trials.queue.name)):
        queue = spec.queues.get(name)
        if queue is not None and queue.parent is not None:
            yield from _of_guarantee(ledger, queue, found)


def _of_check(spec: HierarchySpec, check: Check) -> Iterator[_Raise]:
    queue = spec.queues.get(check.queue)
    number = _NUMBERS.get(check.stage)
    if queue is None or number is None:
        return
    resource = "" if check.stage in OF_APPLICATIONS else check.resource
    holder, origin = "", queue.origin
    if check.holder:
        limit = _limit_of(queue, number, check.holder)
        if limit is None:
            return
        holder = check.holder if check.holder in _named(limit, number) else WILDCARD
        origin = limit.origin or queue.origin
    yield _Raise(
        queue=queue.name,
        number=number,
        resource=resource,
        holder=holder,
        now=check.limit,
        to=check.used + check.requested,
        origin=origin,
    )


def _of_guarantee(
    ledger: HierarchyLedger, queue: HierarchyQueue, found: HierarchyNomination
) -> Iterator[_Raise]:
    for resource, amount in found.request.items():
        now = (queue.guaranteed or {}).get(resource, 0)
        used = ledger.queue(queue.name).used((POOL, resource))
        needed = (used if resource == VCORE else used // SCALE) + amount * sum(
            found.counts.values()
        )
        if needed > now:
            yield _Raise(
                queue=queue.name,
                number=QuotaNumber.GUARANTEE,
                resource=resource,
                now=now,
                to=needed,
                origin=queue.origin,
            )


def _named(limit: Limit, number: QuotaNumber) -> tuple[str, ...]:
    return limit.users if number is QuotaNumber.USER_LIMIT else limit.groups


def _limit_of(queue: HierarchyQueue, number: QuotaNumber, holder: str) -> Limit | None:
    """Return the limit that counts for a user or group: the last one that names it."""
    for name in (holder, WILDCARD):
        for limit in reversed(queue.limits):
            if name in _named(limit, number):
                return limit
    return None


def _proven(trials: Trials, each: _Raise) -> Change | None:
    started = trials.starts(policy=_raised(trials.policy, each))
    if started is None:
        return None
    return Change(
        kind=ChangeKind.QUOTA,
        subject=f"{POOL}/{each.resource}" if each.resource else "applications",
        from_=scaled(each.resource, each.now),
        to=scaled(each.resource, each.to),
        queue=each.queue,
        number=each.number,
        holder=each.holder,
        who_loses=started.who_loses,
        who_waits=started.who_waits,
        origin=each.origin,
    )


def _raised(policy: Policy, each: _Raise) -> Policy:
    spec = hierarchy_of(policy)
    queue = spec.queues[each.queue]
    match each.number:
        case QuotaNumber.MAXIMUM if not each.resource:
            changed = replace(queue, applications=each.to)
        case QuotaNumber.MAXIMUM:
            changed = replace(queue, maximum=_with(queue.maximum, each))
        case QuotaNumber.GUARANTEE:
            changed = replace(queue, guaranteed=_with(queue.guaranteed, each))
        case _:
            changed = replace(queue, limits=tuple(_raised_limits(queue, each)))
    return replace(policy, spec=replace(spec, queues={**spec.queues, each.queue: changed}))


def _raised_limits(queue: HierarchyQueue, each: _Raise) -> Iterator[Limit]:
    counting = _limit_of(queue, each.number, each.holder)
    for limit in queue.limits:
        if limit is not counting:
            yield limit
        elif each.resource:
            yield replace(limit, resources=_with(limit.resources, each))
        else:
            yield replace(limit, applications=each.to)


def _with(amounts: Resources | None, each: _Raise) -> Mapping[str, int]:
    return {**(amounts or {}), each.resource: each.to}


ADVISOR = HierarchyAdvisor()
