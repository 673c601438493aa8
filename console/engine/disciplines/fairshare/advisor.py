"""The advisor: raises of one limit or quota, and ends of workloads, that start a workload."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
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
from console.engine.disciplines.fairshare.decision_facts import request_of
from console.engine.disciplines.fairshare.ledger import counted
from console.engine.disciplines.fairshare.live_world import world_of
from console.engine.disciplines.fairshare.resources import RESOURCES, Amounts
from console.engine.disciplines.fairshare.share_report import with_change
from console.engine.disciplines.fairshare.spec import POOL, fairshare_of
from console.engine.disciplines.fairshare.standing import Standing
from console.engine.disciplines.fairshare.workload_order import is_preemptible
from console.engine.disciplines.share_report import NumberChange, ShareNumber
from console.engine.live.running import Running
from console.engine.model.amounts import FlavorResource, Unlimited
from console.engine.model.policy import Policy

#: The most numbers to try, and the most changes to suggest: a proof costs a whole cycle.
_MOST_TRIED: Final = 8
_MOST_SHOWN: Final = 4

_NUMBERS: Final = {ShareNumber.LIMIT: QuotaNumber.LIMIT, ShareNumber.QUOTA: QuotaNumber.QUOTA}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Raise:
    """One number of one queue, and the smallest value that its own comparison needs."""

    queue: str
    number: ShareNumber
    place: int
    now: int
    to: int


class FairshareAdvisor:
    """Suggests larger limits and quotas on the path of the queue, and workloads to finish."""

    def changes(self, trials: Trials, setting_values: SettingValues | None) -> Iterable[Attempts]:
        """Return the searches; none while the queue admits nothing."""
        if trials.queue.barrier is not None:
            return ()
        attempts = [partial(_proven, trials, each) for each in _raises(trials)]
        return (
            Attempts(
                ChangeKind.QUOTA,
                attempts,
                most_tried=trials.most(_MOST_TRIED),
                most_found=_MOST_SHOWN,
            ),
            ends_by_size(
                trials, partial(_size, {(POOL, name) for name in request_of(trials.workload)})
            ),
        )


def _raises(trials: Trials) -> Iterator[_Raise]:
    """
    Yield raises of limits that refuse the start, then of quotas.

    A larger quota admits a workload that cannot be preempted, or lets the queue reclaim.
    """
    found = trials.nominate(trials.pending)
    if found is None:
        return
    request: Amounts = found.request  # type: ignore[attr-defined]
    standings = world_of(trials.state).open(trials.state).standings
    spec = fairshare_of(trials.policy)
    path = [standings[name] for name in spec.tree.path(trials.queue.name) if name in standings]
    workload = trials.workload
    is_firm = not is_preemptible(trials.pending.priority, workload.is_preemptible)
    for number in (ShareNumber.LIMIT, ShareNumber.QUOTA):
        for standing in path:
            if standing.name in spec.queues:
                yield from _of_queue(number, standing, request, is_firm=is_firm)


def _of_queue(
    number: ShareNumber, standing: Standing, request: Amounts, *, is_firm: bool
) -> Iterator[_Raise]:
    is_limit = number is ShareNumber.LIMIT
    bounds = standing.limit if is_limit else standing.quota
    used = standing.used_non_preemptible if is_firm and not is_limit else standing.used
    for place, amount in enumerate(request):
        bound, needed = bounds[place], used[place] + amount
        if amount and not isinstance(bound, Unlimited) and needed > bound:
            yield _Raise(queue=standing.name, number=number, place=place, now=bound, to=needed)


def _proven(trials: Trials, each: _Raise) -> Change | None:
    started = trials.starts(policy=_raised(trials.policy, each))
    if started is None:
        return None
    return Change(
        kind=ChangeKind.QUOTA,
        subject=f"{POOL}/{RESOURCES[each.place]}",
        from_=each.now,
        to=each.to,
        queue=each.queue,
        number=_NUMBERS[each.number],
        who_loses=started.who_loses,
        who_waits=started.who_waits,
        origin=trials.policy.queues[each.queue].origin,
    )


def _size(keys: Collection[FlavorResource], running: Running) -> int:
    """Return what a workload uses of *keys*."""
    return sum(amount for key, amount in running.usage.items() if counted(key) in keys)


def _raised(policy: Policy, each: _Raise) -> Policy:
    change = NumberChange(
        queue=each.queue, number=each.number, resource=RESOURCES[each.place], value=each.to
    )
    return replace(policy, spec=with_change(fairshare_of(policy), change))


ADVISOR = FairshareAdvisor()
