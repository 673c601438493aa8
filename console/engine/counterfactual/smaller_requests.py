"""Search for the largest smaller request that starts: less of one resource, or fewer pods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from console.engine.counterfactual.attempts import Attempt, Attempts
from console.engine.counterfactual.binary_search import least, least_start, units_of
from console.engine.counterfactual.change import Change, ChangeKind
from console.engine.counterfactual.proof import Started
from console.engine.counterfactual.trials import Trials
from console.engine.model.amounts import SCALE
from console.engine.model.workload import PODS, PodSet, Workload

#: The resource that may be reduced to a fraction even if the request is a whole number.
_DIVISIBLE = "cpu"


def ask_less(trials: Trials) -> Attempts:
    """
    Return the search for smaller requests with which the workload starts.

    For each resource of each pod set, it finds the largest smaller amount: in the units of the
    request (Gi, Mi, whole numbers), or in thousandths for fractions and for cpu. For each pod set
    of several pods, it finds the largest smaller count.
    """
    attempts: list[Attempt] = []
    for index, pod_set in enumerate(trials.workload.pod_sets):
        attempts += (
            partial(_less_of, trials, index, resource) for resource in sorted(pod_set.requests)
        )
        if pod_set.count > 1:
            attempts.append(partial(_fewer_pods, trials, index))
    return Attempts(
        ChangeKind.ASK_LESS, attempts, most_tried=len(attempts), most_found=len(attempts)
    )


def _less_of(trials: Trials, index: int, resource: str) -> Change | None:
    pod_sets = trials.workload.pod_sets
    pod_set = pod_sets[index]
    amount = pod_set.requests[resource]
    found = _most_of(trials, index, resource, amount)
    if found is None:
        return None
    name = pod_set.name if len(pod_sets) > 1 or pod_set.count > 1 else None
    return _change(resource, amount, found, name)


def _fewer_pods(trials: Trials, index: int) -> Change | None:
    pod_sets = trials.workload.pod_sets
    pod_set = pod_sets[index]
    found = _most(trials, pod_set.count, partial(_pods, trials.workload, index))
    if found is None:
        return None
    return _change(PODS, pod_set.count, found, pod_set.name if len(pod_sets) > 1 else None)


def _change(subject: str, before: int, found: tuple[int, Started], pod_set: str | None) -> Change:
    after, started = found
    return Change(
        kind=ChangeKind.ASK_LESS,
        subject=subject,
        from_=before,
        to=after,
        pod_set=pod_set,
        who_loses=started.who_loses,
        who_waits=started.who_waits,
    )


def _most_of(trials: Trials, index: int, resource: str, amount: int) -> tuple[int, Started] | None:
    if not trials.could_start(_of_one(trials.workload, index, resource, 0)):
        # It does not start even without this resource.
        return None
    for unit in units_of(amount):
        if unit < SCALE and amount % SCALE == 0 and resource != _DIVISIBLE:
            # A fraction is no substitute for whole units, such as GPUs.
            continue
        of_one = partial(_of_one, trials.workload, index, resource, unit=unit)
        found = _most(trials, amount // unit, of_one)
        if found is not None:
            return found[0] * unit, found[1]
    return None


def _most(
    trials: Trials, requested: int, changed: Callable[[int], Workload]
) -> tuple[int, Started] | None:
    """Return the largest number below *requested* that starts, or None when 1 does not."""
    if requested < 2 or not trials.could_start(changed(1)):
        return None
    # Search for the smallest reduction, because *requested* itself does not start.
    less = least(0, requested - 1, lambda n: trials.could_start(changed(requested - n)))
    started = trials.starts(workload=changed(requested - less))
    if started is None and less < requested - 1:
        fewest = trials.starts(workload=changed(1))
        if fewest is not None:
            less, started = least_start(
                less,
                requested - 1,
                fewest,
                lambda n: trials.starts(workload=changed(requested - n)),
            )
    return (requested - less, started) if started is not None else None


def _of_one(
    workload: Workload, index: int, resource: str, amount: int, *, unit: int = 1
) -> Workload:
    pod_set = workload.pod_sets[index]
    requests = {**pod_set.requests, resource: amount * unit}
    return _with(workload, index, replace(pod_set, requests=requests))


def _pods(workload: Workload, index: int, count: int) -> Workload:
    pod_set = workload.pod_sets[index]
    fewest = pod_set.min_count if pod_set.min_count is None else min(pod_set.min_count, count)
    return _with(workload, index, replace(pod_set, count=count, min_count=fewest))


def _with(workload: Workload, index: int, pod_set: PodSet) -> Workload:
    pod_sets = list(workload.pod_sets)
    pod_sets[index] = pod_set
    return replace(workload, pod_sets=tuple(pod_sets))
