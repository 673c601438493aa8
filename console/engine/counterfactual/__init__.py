"""
Counterfactuals: the smallest single changes that would let a waiting workload start now.

Admission is a function of who runs, who waits, the policy and the workload. So
one of them is changed at a time, and the engine itself is asked: first for a quick
look at what the workload would find if it were its turn, then, for what looks
well, for the proof on a fork of its tree, with everybody there who could start
too, and with whoever is told to stop stopping. Only what the fork admits is told.

Every look counts as one evaluation and every proof as several, and their number is bounded;
kinds of change are tried in the order of `ChangeKind`, so the same state gives the
same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from console.engine.change import Change, ChangeKind
from console.engine.counterfactual.as_another import labels, priority
from console.engine.counterfactual.ask_less import ask_less
from console.engine.counterfactual.ends import ends, waiting
from console.engine.counterfactual.policies import WHOLE_MENU, Menu, policies
from console.engine.counterfactual.quotas import quotas
from console.engine.counterfactual.trials import BudgetSpent, Trials
from console.engine.pending import Pending
from console.engine.state import State

__all__ = ["WHOLE_MENU", "Findings", "Menu", "changes", "find_changes"]

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
    #: Whether evaluations ran out before everything was tried.
    is_cut: bool = False


def changes(
    state: State, workload_id: str, budget: int = BUDGET, menu: Menu = WHOLE_MENU
) -> tuple[Change, ...]:
    """Return the changes that `find_changes` finds."""
    return find_changes(state, workload_id, budget, menu).changes


def find_changes(
    state: State,
    workload_id: str,
    budget: int = BUDGET,
    menu: Menu = WHOLE_MENU,
    known: Collection[str] | None = None,
) -> Findings:
    """
    Return the single changes with each of which a pending workload would start.

    *state* is settled and stays as it is. Nothing is asked of a workload that runs,
    and where waiting is enough nothing else is. *menu* has the settings that the
    language of the config knows, *known* the queues of which *state* has everybody, all
    of them unless it is given: nothing is told of others. Raises KeyError when the
    workload neither waits nor runs.
    """
    if workload_id in state.running:
        return Findings()
    pending = state.pending[workload_id]
    trials = Trials(state, pending, budget, known)
    found: list[Change] = []
    in_vain: list[ChangeKind] = []
    is_cut = False
    for kind, search in _searches(trials, pending, menu):
        before, left = len(found), trials.left
        # The hardest of searches leaves the next ones their part.
        trials.reserve = left // 2 if kind is ChangeKind.QUOTA else 0
        try:
            # What is found before evaluations run out counts.
            found.extend(search(trials))
        except BudgetSpent:
            is_cut = True
            continue
        if len(found) > before and kind is ChangeKind.WAIT:
            break
        if len(found) == before and trials.left < left and kind is not ChangeKind.WAIT:
            in_vain.append(kind)
    return Findings(
        changes=tuple(found),
        in_vain=tuple(in_vain),
        evaluations=budget - trials.left,
        is_cut=is_cut,
    )


_Search = Callable[[Trials], Iterator[Change]]


def _searches(trials: Trials, pending: Pending, menu: Menu) -> Iterator[tuple[ChangeKind, _Search]]:
    if pending.route.queue is None:
        # It stands in no line: only what it says of itself can lead it into one.
        yield ChangeKind.LABEL, labels
        return
    if pending.route.problem is not None:
        yield ChangeKind.LABEL, labels
    elif trials.queue.barrier is not None:
        # Nobody of its queue has a turn, whatever it asks for.
        yield ChangeKind.LABEL, labels
        yield ChangeKind.RESUME, _resume
        yield ChangeKind.POLICY, lambda trials: policies(trials, menu)
    else:
        yield ChangeKind.WAIT, waiting
        yield ChangeKind.ASK_LESS, ask_less
        yield ChangeKind.LABEL, labels
        yield ChangeKind.PRIORITY, priority
        yield ChangeKind.QUOTA, quotas
        yield ChangeKind.POLICY, lambda trials: policies(trials, menu)
        yield ChangeKind.FINISH, ends


def _resume(trials: Trials) -> Iterator[Change]:
    started = trials.starts(resume=True) if trials.queue.held else None
    if started is not None:
        yield Change(
            kind=ChangeKind.RESUME,
            queue=trials.queue.name,
            who_loses=started.who_loses,
            who_waits=started.who_waits,
        )
