"""
Counterfactuals: the smallest single changes that would start a pending workload now.

Admission depends on the running workloads, the pending workloads, the policy and the
workload itself. The search changes one of them at a time. A cheap check nominates the
changed workload as if it had the next turn. If this succeeds, the change is proven on a
snapshot of its tree, on which competing workloads may start and victims stop. Only changes
with which the snapshot admits the workload are returned.

For a workload that can never start, changes are also searched as if nothing else ran: with one
of them, it waits for room like others do.

A check costs one evaluation and a proof several, within a budget. The kinds of change take
turns, so the same state gives the same answer. The caller may stop the search at any time,
even within a cycle: it then returns the changes proven so far, and the number of candidates
that were tried and not tried.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from console.engine.counterfactual.advisor import changes_of_config
from console.engine.counterfactual.attempts import Attempts
from console.engine.counterfactual.change import Change, ChangeKind, SettingValues
from console.engine.counterfactual.ending_workloads import ends, waiting
from console.engine.counterfactual.request_changes import labels, priority
from console.engine.counterfactual.smaller_requests import ask_less
from console.engine.counterfactual.trials import Stopped, Trials
from console.engine.pending.pending_class import Pending
from console.engine.state import State

__all__ = ["Findings", "Menu", "changes", "find_changes"]

_NO_CHANGES = frozenset({ChangeKind.WAIT, ChangeKind.RESUBMIT})

#: Evaluations for one workload.
BUDGET = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The changes that would start a workload, and the kinds of change that would not."""

    #: In the order of `ChangeKind`.
    changes: tuple[Change, ...] = ()
    #: Kinds of change that were tried without success.
    in_vain: tuple[ChangeKind, ...] = ()
    evaluations: int = 0
    #: Number of candidates that were tried.
    tried: int = 0
    #: Number of candidates that were not tried, so that their effect is unknown.
    untried: int = 0

    @property
    def is_cut(self) -> bool:
        """Whether the search stopped before all candidates were tried."""
        return self.untried > 0


def changes(
    state: State,
    workload_id: str,
    budget: int = BUDGET,
    setting_values: SettingValues | None = None,
) -> tuple[Change, ...]:
    """Return only the changes of `find_changes`."""
    return find_changes(state, workload_id, budget, setting_values).changes


def find_changes(
    state: State,
    workload_id: str,
    budget: int = BUDGET,
    setting_values: SettingValues | None = None,
    known: Collection[str] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
    report_progress: Callable[[int, int], None] = lambda tried, of: None,
    *,
    is_thorough: bool = False,
    is_rejected: bool = False,
) -> Findings:
    """
    Return the single changes each of which would start a pending workload.

    *state* has to be settled, and is not changed. A running workload has no findings, and if
    waiting is sufficient, no other change is searched. *setting_values* has the settings of the
    config language; by default, all settings of the discipline. *known* has the queues whose
    workloads are all in *state*, by default all queues; changes that route to other queues are
    not tried. The search ends when *should_stop* returns True. *report_progress* is called after
    each candidate with the number of candidates tried and the total. With *is_thorough*, all
    candidates are tried. *is_rejected* tells that the workload was rejected and is pending in
    *state* only as if it were submitted again, which may be sufficient. Raises KeyError when the
    workload is neither pending nor running.
    """
    if workload_id in state.running:
        return Findings()
    pending = state.pending[workload_id]
    trials = Trials(state, pending, budget, known, should_stop, is_thorough=is_thorough)
    searches: list[Attempts] = []
    groups = _searches(trials, pending, setting_values)
    if is_rejected:
        groups = chain([[_resubmission(trials)]], groups)
    try:
        for some in groups:
            searches += some
            _take_turns(trials, some, report_progress)
            if any(each.found for each in some):
                break
    except Stopped:
        # The candidates of kinds that had no turn yet count as untried.
        searches += (each for some in groups for each in some)
    return Findings(
        changes=tuple(change for each in searches for change in each.found),
        in_vain=_in_vain(searches),
        evaluations=budget - trials.left,
        tried=sum(each.tried for each in searches),
        untried=sum(each.untried for each in searches),
    )


def _in_vain(searches: list[Attempts]) -> tuple[ChangeKind, ...]:
    """Return the kinds of change that were tried and do not help, now or later."""
    failed = dict.fromkeys(each.kind for each in searches if each.has_failed)
    found = {change.kind for each in searches for change in each.found}
    return tuple(kind for kind in failed if kind not in found | _NO_CHANGES)


def _take_turns(
    trials: Trials, searches: list[Attempts], report_progress: Callable[[int, int], None]
) -> None:
    while active := [each for each in searches if not each.is_over]:
        for each in active:
            each.step(trials)
            tried = sum(some.tried for some in searches)
            report_progress(tried, tried + sum(some.untried for some in searches))


def _searches(
    trials: Trials, pending: Pending, setting_values: SettingValues | None
) -> Iterator[list[Attempts]]:
    """Yield groups of searches that take turns, in the order of `ChangeKind`."""
    if pending.route.queue is None or pending.route.problem is not None:
        # It is in no queue that could admit it: only other labels change its route.
        yield [labels(trials)]
    elif trials.queue.barrier is not None:
        # Its queue gives no turns, so a smaller request would not help.
        yield [labels(trials), _resume(trials), *changes_of_config(trials, setting_values)]
    else:
        yield [waiting(trials)]
        yield [
            ask_less(trials),
            labels(trials),
            priority(trials),
            *changes_of_config(trials, setting_values),
            ends(trials),
        ]
        yield _some_time(trials, setting_values)


def _some_time(trials: Trials, setting_values: SettingValues | None) -> list[Attempts]:
    """Return the searches for changes with which a workload that can never start could."""
    found = trials.nominate(trials.pending)
    if found is None or not found.pending_reason.cannot_run:
        return []
    alone = trials.alone()
    if alone is None or alone.queue.barrier is not None:
        return []
    searches = [ask_less(alone), *changes_of_config(alone, setting_values)]
    return [each.with_change(partial(replace, is_later=True)) for each in searches]


def _resubmission(trials: Trials) -> Attempts:
    attempts = [partial(_submitted_again, trials)]
    return Attempts(ChangeKind.RESUBMIT, attempts, most_tried=1, most_found=1)


def _submitted_again(trials: Trials) -> Change | None:
    if not trials.could_start(trials.workload):
        return None
    started = trials.starts(workload=trials.workload)
    if started is None:
        return None
    return Change(
        kind=ChangeKind.RESUBMIT, who_loses=started.who_loses, who_waits=started.who_waits
    )


def _resume(trials: Trials) -> Attempts:
    held = [partial(_resumed, trials)] if trials.queue.held else []
    return Attempts(ChangeKind.RESUME, held, most_tried=1, most_found=1)


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
