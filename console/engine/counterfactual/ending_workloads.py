"""Search for running or evicting workloads whose end would start the workload."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TypeVar

from console.engine.counterfactual.attempts import Attempts
from console.engine.counterfactual.binary_search import least
from console.engine.counterfactual.change import Change, ChangeKind
from console.engine.counterfactual.trials import Trials
from console.engine.live.live_tree import AnyQueue, LiveTree
from console.engine.live.running import Running
from console.engine.live.snapshot import Snapshot
from console.engine.model.amounts import FlavorResource

_T = TypeVar("_T")

#: Maximum number of workloads in a result; a longer list is of no use.
_MOST = 20

#: Maximum number of workloads to try, those of its own queue with the most usage first.
_LOOKED_AT = 2_000


def waiting(trials: Trials) -> Attempts:
    """Return the search for WAIT: the workload starts after evicting workloads have stopped."""
    preemptor = trials.queue.preemptors.get(trials.uid)
    if preemptor is not None:
        named = sorted(preemptor.victims)
        attempts = [partial(_wait_for, trials, named, is_needed=True)]
    else:
        running = _running(trials.queue.tree)
        named = sorted(each.workload.id for each in running if each.evicting)
        attempts = [partial(_wait_for, trials, named, is_needed=False)] if named else []
    return Attempts(ChangeKind.WAIT, attempts, most_tried=1, most_found=1)


def _wait_for(trials: Trials, named: list[str], *, is_needed: bool) -> Change | None:
    """Try to wait for *named*; unless *is_needed*, for as few of them as suffice."""
    if not trials.starts_after_stopping(named):
        return None
    if not is_needed:
        named = _needed(named, trials.starts_after_stopping)
    return Change(kind=ChangeKind.WAIT, workloads=tuple(named))


def ends(trials: Trials) -> Attempts:
    """
    Return the search for a few running workloads after whose end the workload starts.

    For each flavor, running workloads are removed until the workload fits, first those of its
    own queue, those with the most usage first. Then every workload that is not needed is put
    back, as in a search for victims.
    """
    flavors = list(_short_by_flavor(trials).values())
    found: list[tuple[str, ...]] = []
    attempts = [
        partial(_with_ends, trials, found, keys, is_last=keys is flavors[-1]) for keys in flavors
    ]
    return Attempts(ChangeKind.FINISH, attempts, most_tried=len(attempts), most_found=1)


def _with_ends(
    trials: Trials, found: list[tuple[str, ...]], keys: list[FlavorResource], *, is_last: bool
) -> Change | None:
    """Add the workloads whose end frees *keys* to *found*; after the last, prove the shortest."""
    chosen = _of_flavor(trials, trials.scratch, keys)
    if chosen:
        found.append(tuple(sorted(each.workload.id for each in chosen)))
    return proven_end(trials, found) if is_last else None


def proven_end(trials: Trials, found: Iterable[tuple[str, ...]]) -> Change | None:
    """Return the end of the fewest workloads in *found* that is proven; None: none is."""
    for workloads in sorted(set(found), key=lambda each: (len(each), each)):
        started = trials.starts(ends=workloads)
        if started is not None:
            return Change(
                kind=ChangeKind.FINISH,
                workloads=workloads,
                who_loses=started.who_loses,
                who_waits=started.who_waits,
            )
    return None


def _short_by_flavor(trials: Trials) -> dict[str, list[FlavorResource]]:
    short: dict[str, list[FlavorResource]] = {}
    for key in trials.short():
        short.setdefault(key[0], []).append(key)
    return short


def _of_flavor(trials: Trials, snapshot: Snapshot, keys: list[FlavorResource]) -> list[Running]:
    def fits_without(gone: list[Running]) -> bool:
        for each in gone:
            snapshot.ledger.remove(each.queue or "", each.usage)
        try:
            return trials.fits(snapshot, (each.workload.id for each in gone))
        finally:
            for each in gone:
                snapshot.ledger.add(each.queue or "", each.usage)

    return few_that_suffice(_in_turn(trials.queue, keys), fits_without)


def ends_by_size(trials: Trials, size: Callable[[Running], int]) -> Attempts:
    """
    Return the search for a few running workloads after whose end the workload starts.

    Those of its own queue are preferred, then those of the largest *size*. For disciplines in which
    every running workload of the tree may be in the way.
    """
    return Attempts(
        ChangeKind.FINISH, [partial(_ended_by_size, trials, size)], most_tried=1, most_found=1
    )


def _ended_by_size(trials: Trials, size: Callable[[Running], int]) -> Change | None:
    def fits_without(gone: list[Running]) -> bool:
        return trials.fits(trials.scratch, (each.workload.id for each in gone))

    def order(running: Running) -> tuple[bool, int, int]:
        return running.queue != trials.queue.name, -size(running), -running.reservation

    staying = [
        each for queue in trials.queue.tree.queues for each in queue.running if not each.evicting
    ]
    chosen = few_that_suffice(iter(sorted(staying, key=order)), fits_without)
    return proven_end(
        trials, [tuple(sorted(each.workload.id for each in chosen))] if chosen else ()
    )


def few_that_suffice(
    in_turn: Iterator[Running], fits_without: Callable[[list[Running]], bool]
) -> list[Running]:
    """
    Return a few of the running workloads *in_turn*, none of which can be left out.

    *fits_without* tells whether the workload fits after the end of some of them. The first ones are
    preferred. Empty if too many would have to end.
    """
    some: list[Running] = []
    in_turn = islice(in_turn, _LOOKED_AT)
    # Usually a few are sufficient: start with one, and double the number each time.
    while more := list(islice(in_turn, len(some) or 1)):
        too_few = len(some)
        some += more
        if fits_without(some):
            count = least(too_few, len(some), partial(_first_suffice, some, fits_without))
            chosen = _needed(some[:count], fits_without)
            return chosen if len(chosen) <= _MOST else []
    return []


def _first_suffice(some: list[_T], works: Callable[[list[_T]], bool], count: int) -> bool:
    return works(some[:count])


def _in_turn(own: AnyQueue, keys: list[FlavorResource]) -> Iterator[Running]:
    """Yield the workloads that use *keys*: of *own*, then of others, by descending usage."""

    def order(running: Running) -> tuple[int, int]:
        return -sum(running.usage.get(key, 0) for key in keys), -running.reservation

    others = (each for queue in own.tree.queues if queue is not own for each in queue.running)
    for some in (own.running, others):
        holding = (
            each for each in some if not each.evicting and any(each.usage.get(key) for key in keys)
        )
        yield from sorted(holding, key=order)


def _needed(some: list[_T], works: Callable[[list[_T]], bool]) -> list[_T]:
    """
    Return a minimal part of *some* that still *works*, with a preference for the first items.

    Items are left out from the last on, in blocks that double with each success.
    """
    index, block = len(some), 1
    while index > 0:
        size = min(block, index)
        without = some[: index - size] + some[index:]
        if without and works(without):
            some, index, block = without, index - size, size * 2
        elif size > 1:
            block = size // 2
        else:
            index -= 1
    return some


def _running(tree: LiveTree) -> Iterator[Running]:
    for queue in tree.queues:
        yield from queue.running
