"""
Counterfactuals: the smallest single changes that would let a waiting workload start now.

Admission is a function of who runs, who waits, the policy and the workload. So
one of them is changed at a time, and the engine itself is asked: first for a quick
look at what the workload would find if it were its turn, then, for what looks
well, for the proof on a fork of its tree, with everybody there who could start
too, and with whoever is told to stop stopping. Only what the fork admits is told.

Every look counts as one evaluation and every proof as several, and their number is bounded.
The kinds of change take turns, so the same state gives the same answer. The caller may stop the
search at any moment, also within a cycle: what is proven by then is returned, with how many
candidates were tried and how many were not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial

from console.engine.counterfactual.advisor import changes_of_config
from console.engine.counterfactual.as_another import labels, priority
from console.engine.counterfactual.ask_less import ask_less
from console.engine.counterfactual.attempts import Attempts
from console.engine.counterfactual.change import Change, ChangeKind, Menu
from console.engine.counterfactual.ends import ends, waiting
from console.engine.counterfactual.trials import Stopped, Trials
from console.engine.pending.pending_class import Pending
from console.engine.state import State

__all__ = ["Findings", "Menu", "changes", "find_changes"]

#: Evaluations for one workload.
BUDGET = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What would let a workload start, and what was tried for it in vain."""

    #: In the order of `ChangeKind`.
    changes: tuple[Change, ...] = ()
    #: Kinds of change of which some were tried and none helps.
    in_vain: tuple[ChangeKind, ...] = ()
    evaluations: int = 0
    #: Candidates that were tried, and those that were not: nothing is known of these.
    tried: int = 0
    untried: int = 0

    @property
    def is_cut(self) -> bool:
        """Whether evaluations or time ran out before everything was tried."""
        return self.untried > 0


def changes(
    state: State, workload_id: str, budget: int = BUDGET, menu: Menu | None = None
) -> tuple[Change, ...]:
    """Return the changes that `find_changes` finds."""
    return find_changes(state, workload_id, budget, menu).changes


def find_changes(
    state: State,
    workload_id: str,
    budget: int = BUDGET,
    menu: Menu | None = None,
    known: Collection[str] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
    note: Callable[[int, int], None] = lambda tried, of: None,
    *,
    is_thorough: bool = False,
) -> Findings:
    """
    Return the single changes with each of which a pending workload would start.

    *state* is settled and stays as it is. Nothing is asked of a workload that runs,
    and where waiting is enough nothing else is. *menu* has the settings that the
    language of the config knows, all of its discipline unless it is given, *known* the queues of
    which *state* has everybody, all of them unless it is given: nothing is told of others. Once
    *should_stop* says so the search ends. *note* is told after each candidate how many were
    tried, and how many there are; all of them are tried if *is_thorough*. Raises KeyError when
    the workload neither waits nor runs.
    """
    if workload_id in state.running:
        return Findings()
    pending = state.pending[workload_id]
    trials = Trials(state, pending, budget, known, should_stop, is_thorough=is_thorough)
    searches: list[Attempts] = []
    groups = _searches(trials, pending, menu)
    try:
        for some in groups:
            searches += some
            _take_turns(trials, some, note)
            if any(each.found for each in some):
                break
    except Stopped:
        # What is found by then counts, and what is left is counted.
        searches += (each for some in groups for each in some)
    return Findings(
        changes=tuple(change for each in searches for change in each.found),
        in_vain=tuple(
            each.kind for each in searches if each.is_in_vain and each.kind is not ChangeKind.WAIT
        ),
        evaluations=budget - trials.left,
        tried=sum(each.tried for each in searches),
        untried=sum(each.untried for each in searches),
    )


def _take_turns(trials: Trials, searches: list[Attempts], note: Callable[[int, int], None]) -> None:
    while going_on := [each for each in searches if not each.is_over]:
        for each in going_on:
            each.step(trials)
            tried = sum(some.tried for some in searches)
            note(tried, tried + sum(some.untried for some in searches))


def _searches(trials: Trials, pending: Pending, menu: Menu | None) -> Iterator[list[Attempts]]:
    """Yield the kinds of change that take turns, in the order of `ChangeKind`."""
    if pending.route.queue is None or pending.route.problem is not None:
        # It stands in no line: only what it says of itself can lead it into one.
        yield [labels(trials)]
    elif trials.queue.barrier is not None:
        # Nobody of its queue has a turn, whatever it asks for.
        yield [labels(trials), _resume(trials), *changes_of_config(trials, menu)]
    else:
        yield [waiting(trials)]
        yield [
            ask_less(trials),
            labels(trials),
            priority(trials),
            *changes_of_config(trials, menu),
            ends(trials),
        ]


def _resume(trials: Trials) -> Attempts:
    held = [partial(_resumed, trials)] if trials.queue.held else []
    return Attempts(ChangeKind.RESUME, held, tried=1, told=1)


def _resumed(trials: Trials) -> Change | None:
    started = trials.starts(resume=True)
    if started is None:
        return None
    return Change(
        kind=ChangeKind.RESUME,
        queue=trials.queue.name,
        who_loses=started.who_loses,
        who_waits=started.who_waits,
    )
