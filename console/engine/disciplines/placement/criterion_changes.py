"""Search for a filter, a condition or a preference without which a job would be placed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from console.engine.counterfactual.attempts import Attempts
from console.engine.counterfactual.change import Change, ChangeKind
from console.engine.counterfactual.trials import Trials
from console.engine.disciplines.placement.criteria import (
    conditions,
    holds,
    in_words,
    without_condition,
)
from console.engine.disciplines.placement.derived import placer_of
from console.engine.disciplines.placement.job_placement import TEMPLATE, JobPlacement
from console.engine.disciplines.placement.spec import Criterion, Placement

#: Maximum number of changes to try, and to return.
_TRIED: Final = 20
_MOST_FOUND: Final = 2


def filter_changes(trials: Trials) -> Attempts:
    """
    Return the search for a condition of a filter less, or else for no filters.

    It tries the conditions that alone exclude some ready cluster; no other one makes a difference.
    """
    placement = placement_of_job(trials).placement
    found: list[Change] = []
    attempts = [
        partial(_with_weaker, trials, found, change, changed)
        for change, changed in _weaker(trials, placement)
    ]
    return Attempts(
        ChangeKind.FILTER, attempts, most_tried=trials.most(_TRIED), most_found=_MOST_FOUND
    )


def preference_changes(trials: Trials) -> Attempts:
    """
    Return the search for a preference less.

    The order of clusters matters to jobs of several pod sets, and to plugins that spread.
    """
    placement = placement_of_job(trials).placement
    attempts = [
        partial(
            _with,
            trials,
            Change(kind=ChangeKind.PREFERENCE, subject=each.name),
            replace(placement, preferences=_without(placement.preferences, number)),
        )
        for number, each in enumerate(placement.preferences)
    ]
    return Attempts(
        ChangeKind.PREFERENCE, attempts, most_tried=trials.most(_TRIED), most_found=_MOST_FOUND
    )


def placement_of_job(trials: Trials) -> JobPlacement:
    """Return the effective placement of the job."""
    assert trials.queue.policy is not None, "a job without a queue has no advice of this kind"
    obstacles = trials.judge.obstacles(trials.workload, trials.queue.policy)
    found: JobPlacement = obstacles[0] if obstacles else JobPlacement()
    return found


def _weaker(trials: Trials, placement: Placement) -> Iterator[tuple[Change, Placement]]:
    """Yield changes of the filters with the resulting placements, the smallest change first."""
    clusters = placer_of(trials.state).index.clusters.values()
    labels = [each.labels for each in clusters if each.is_ready]
    for place, each in enumerate(placement.filters):
        parts = conditions(each)
        if len(parts) > 1:
            alone = {number for some in labels for number in _only_failing(each, some)}
            for number in sorted(alone):
                weaker = without_condition(each, number)
                filters = (*placement.filters[:place], weaker, *placement.filters[place + 1 :])
                change = Change(
                    kind=ChangeKind.FILTER, subject=each.name, from_=in_words(parts[number])
                )
                yield change, replace(placement, filters=filters)
    if placement.filters:
        only = placement.filters[0].name if len(placement.filters) == 1 else ""
        yield Change(kind=ChangeKind.FILTER, subject=only), replace(placement, filters=())


def _only_failing(criterion: Criterion, labels: Mapping[str, str]) -> tuple[int, ...]:
    """Return the number of the condition that fails, if it is the only one."""
    failing = [n for n, each in enumerate(conditions(criterion)) if not holds(each, labels)]
    return tuple(failing) if len(failing) == 1 else ()


def _with_weaker(
    trials: Trials, found: list[Change], change: Change, placement: Placement
) -> Change | None:
    """Return *change* like `_with`, and add it to *found*; no filters are only the last resort."""
    if found and not placement.filters:
        return None
    helps = _with(trials, change, placement)
    found += [helps] if helps is not None else []
    return helps


def _with(trials: Trials, change: Change, placement: Placement) -> Change | None:
    """Return *change* if the job starts with *placement*."""
    changed = replace(trials.workload, placement=_as_json(placement))
    if not trials.could_start(changed):
        return None
    started = trials.starts(workload=changed)
    if started is None:
        return None
    return replace(
        change,
        template=_template_of(trials, change.kind),
        who_loses=started.who_loses,
        who_waits=started.who_waits,
    )


def _template_of(trials: Trials, kind: ChangeKind) -> str | None:
    """Return the template with the filters or preferences; None if the job states them itself."""
    stated = trials.workload.placement or {}
    key = "filters" if kind is ChangeKind.FILTER else "preferences"
    name = None if stated.get(key) else stated.get(TEMPLATE)
    return None if name is None else str(name)


def _without(criteria: tuple[Criterion, ...], number: int) -> tuple[Criterion, ...]:
    return criteria[:number] + criteria[number + 1 :]


def _as_json(placement: Placement) -> Mapping[str, Any] | None:
    """Return *placement* in the form of submissions, without a template; None if it is empty."""
    stated = {
        "filters": [_criterion(each) for each in placement.filters],
        "preferences": [
            _criterion(each) | {"weight": each.weight} for each in placement.preferences
        ],
    }
    return {key: some for key, some in stated.items() if some} or None


def _criterion(criterion: Criterion) -> dict[str, Any]:
    stated: dict[str, Any] = {"name": criterion.name}
    if criterion.labels:
        stated["match_labels"] = dict(criterion.labels)
    if criterion.expressions:
        stated["match_expressions"] = [
            {"key": each.key, "operator": each.operator.value, "values": list(each.values)}
            for each in criterion.expressions
        ]
    return stated
