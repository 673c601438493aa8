"""Others: whom it waits for already, and the fewest running workloads whose end lets it start."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from console.engine.change import Change, ChangeKind
from console.engine.counterfactual.trials import Trials, least
from console.engine.fork import Fork
from console.engine.running import Running
from console.engine.tree import Tree

_T = TypeVar("_T")

#: Workloads that have to end at most; a longer list helps nobody.
_MOST = 20

#: Workloads that are looked at, those that hold most in its own queue first.
_LOOKED_AT = 2_000


def waiting(trials: Trials) -> Iterator[Change]:
    """Yield WAIT when it starts once workloads that were told to stop have stopped."""
    preemptor = trials.queue.preemptors.get(trials.uid)
    if preemptor is not None:
        named = sorted(preemptor.victims)
        if trials.starts_after_stopping(named):
            yield Change(kind=ChangeKind.WAIT, workloads=tuple(named))
        return
    named = sorted(each.workload.id for each in _running(trials.queue.tree) if each.departing)
    if named and trials.starts_after_stopping(named):
        named = _needed(named, trials.starts_after_stopping)
        yield Change(kind=ChangeKind.WAIT, workloads=tuple(named))


def ends(trials: Trials) -> Iterator[Change]:
    """
    Yield the fewest running workloads that were found whose end lets it start.

    For each flavor those that hold most of it are taken away until it fits, and then
    put back one by one where it fits all the same, as a search for preemption does:
    nobody of them can be spared.
    """
    fork = trials.fork()
    found = []
    for flavor in dict.fromkeys(flavor for flavor, _ in trials.short()):
        chosen = _of_flavor(trials, fork, flavor)
        if chosen:
            found.append(tuple(sorted(each.workload.id for each in chosen)))
    for workloads in sorted(found, key=lambda each: (len(each), each)):
        started = trials.starts(ends=workloads)
        if started is not None:
            yield Change(
                kind=ChangeKind.FINISH,
                workloads=workloads,
                who_loses=started.who_loses,
                who_waits=started.who_waits,
            )
            return


def _of_flavor(trials: Trials, fork: Fork, flavor: str) -> list[Running]:
    keys = [key for key in trials.short() if key[0] == flavor]
    own = trials.queue

    def order(running: Running) -> tuple[bool, int, int]:
        held = sum(running.usage.get(key, 0) for key in keys)
        return running.queue != own.name, -held, -running.reservation

    candidates = sorted(
        (
            each
            for each in _running(own.tree)
            if not each.departing and any(each.usage.get(key) for key in keys)
        ),
        key=order,
    )[:_LOOKED_AT]

    def fits_without(gone: list[Running]) -> bool:
        for each in gone:
            fork.ledger.remove(each.queue or "", each.usage)
        fits = trials.fits(fork)
        for each in gone:
            fork.ledger.add(each.queue or "", each.usage)
        return fits

    if not candidates or not fits_without(candidates):
        return []
    count = least(0, len(candidates), lambda n: fits_without(candidates[:n]))
    chosen = _needed(candidates[:count], fits_without)
    return chosen if len(chosen) <= _MOST else []


def _needed(some: list[_T], works: Callable[[list[_T]], bool]) -> list[_T]:
    """Return those of *some*, which work, of whom none can be left out, the first ones first."""
    index = len(some) - 1
    while index >= 0:
        without = some[:index] + some[index + 1 :]
        if without and works(without):
            some = without
        index -= 1
    return some


def _running(tree: Tree) -> Iterator[Running]:
    for queue in tree.queues:
        yield from queue.running
