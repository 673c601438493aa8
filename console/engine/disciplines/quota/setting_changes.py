"""Setting changes: suggested values of one queue setting with which a workload would start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from console.engine.counterfactual.attempts import Attempts
from console.engine.counterfactual.change import Change, ChangeKind, Setting, SettingValues, Value
from console.engine.counterfactual.trials import Trials
from console.engine.disciplines.quota.spec import (
    Fungibility,
    FungibilityPolicy,
    Preemption,
    PreemptionRule,
    Preference,
    QueueSpec,
    spec_of,
    with_spec,
)
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy, StopPolicy, Strategy

#: Every setting with all values to try, the mildest first.
ALL_SETTINGS: SettingValues = {
    Setting.STOP: (StopPolicy.NONE,),
    Setting.STRATEGY: (Strategy.BEST_EFFORT_FIFO,),
    Setting.WHEN_CAN_BORROW: tuple(FungibilityPolicy),
    Setting.WHEN_CAN_PREEMPT: tuple(FungibilityPolicy),
    Setting.PREFERENCE: tuple(Preference),
    Setting.WITHIN_QUEUE: (
        PreemptionRule.LOWER_PRIORITY,
        PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY,
    ),
    Setting.RECLAIM_WITHIN_COHORT: (PreemptionRule.LOWER_PRIORITY, PreemptionRule.ANY),
    Setting.BORROW_WITHIN_COHORT: (PreemptionRule.LOWER_PRIORITY,),
    Setting.MAX_PRIORITY_THRESHOLD: (None,),
}


def setting_changes(trials: Trials, setting_values: SettingValues) -> Attempts:
    """Return the search for the mildest other value of each setting that starts the workload."""
    queue = spec_of(trials.policy).queues[trials.queue.name]
    attempts = [
        partial(_with_values, trials, setting, others)
        for setting, values in setting_values.items()
        if (others := tuple(_alternatives(queue, setting, values)))
    ]
    return Attempts(ChangeKind.POLICY, attempts, most_tried=len(attempts), most_found=len(attempts))


def _with_values(trials: Trials, setting: Setting, values: tuple[Value, ...]) -> Change | None:
    name = trials.queue.name
    queue = spec_of(trials.policy).queues[name]
    for value in values:
        policy = with_setting(trials.policy, name, setting, value)
        if not trials.could_start_under(policy):
            continue
        started = trials.starts(policy=policy)
        if started is not None:
            return Change(
                kind=ChangeKind.POLICY,
                subject=setting,
                from_=value_of(queue, setting),
                to=value,
                queue=name,
                who_loses=started.who_loses,
                who_waits=started.who_waits,
                origin=_origin(queue, setting),
            )
    return None


def value_of(queue: QueueSpec, setting: Setting) -> Value:
    """Return the value of *setting* in *queue*."""
    value: Value = getattr(_part(queue, setting), setting.value)
    return value


def with_setting(policy: Policy, queue: str, setting: Setting, value: Value) -> Policy:
    """Return *policy* with one setting of a queue replaced."""
    before = spec_of(policy).queues[queue]
    part = _part(before, setting)
    field: dict[str, Any] = {setting.value: value}
    if isinstance(part, Preemption):
        after = replace(before, preemption=replace(part, **field))
    elif isinstance(part, Fungibility):
        after = replace(before, fungibility=replace(part, **field))
    else:
        after = replace(before, **field)
    return with_spec(policy, queues={**spec_of(policy).queues, queue: after})


def _alternatives(queue: QueueSpec, setting: Setting, values: tuple[Value, ...]) -> Iterator[Value]:
    """Yield the values of *values* that would be effective in *queue* and differ from its own."""
    now = value_of(queue, setting)
    is_preemption_rule = setting in (Setting.WITHIN_QUEUE, Setting.RECLAIM_WITHIN_COHORT)
    if is_preemption_rule and now in values:
        yield from values[values.index(now) + 1 :]
        return
    if setting is Setting.BORROW_WITHIN_COHORT and (
        queue.parent is None or queue.preemption.reclaim_within_cohort is PreemptionRule.NEVER
    ):
        # It requires reclaimWithinCohort.
        return
    if setting is Setting.RECLAIM_WITHIN_COHORT and queue.parent is None:
        return
    yield from (value for value in values if value != now)


def _part(queue: QueueSpec, setting: Setting) -> QueueSpec | Preemption | Fungibility:
    match setting:
        case (
            Setting.WITHIN_QUEUE
            | Setting.RECLAIM_WITHIN_COHORT
            | Setting.BORROW_WITHIN_COHORT
            | Setting.MAX_PRIORITY_THRESHOLD
        ):
            return queue.preemption
        case Setting.WHEN_CAN_BORROW | Setting.WHEN_CAN_PREEMPT | Setting.PREFERENCE:
            return queue.fungibility
        case Setting.STRATEGY | Setting.STOP:
            return queue


def _origin(queue: QueueSpec, setting: Setting) -> Origin | None:
    return _part(queue, setting).origin or queue.origin
