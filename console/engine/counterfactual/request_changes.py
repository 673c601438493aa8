"""Search for another label or requested priority with which the workload starts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from console.engine.counterfactual.attempts import Attempts
from console.engine.counterfactual.change import Change, ChangeKind
from console.engine.counterfactual.proof import Started
from console.engine.counterfactual.trials import Trials
from console.engine.live.live_tree import AnyQueue
from console.engine.model.selectors import MatchExpression, Operator, Selector
from console.engine.model.workload import Workload
from console.engine.routing.local_queues import LocalQueueRouting, local_routing_of
from console.engine.routing.rule_routing import rules_of
from console.engine.routing.rules import OnViolation

#: Maximum number of label changes to try, and to return.
_LABELS, _MOST_FOUND = 40, 3

#: Maximum number of priorities to try.
_PRIORITIES = 40


def labels(trials: Trials) -> Attempts:
    """
    Return the search for changes of one label with which the workload starts.

    It finds at most one change per key. It tries the values in rules and flavors, in the order of
    the text; under local queues, those of the namespace, and priority classes from the lowest.
    """
    found_keys: set[str] = set()
    attempts = (
        partial(_with_label, trials, found_keys, key, value) for key, value in _label_values(trials)
    )
    return Attempts(
        ChangeKind.LABEL, attempts, most_tried=trials.most(_LABELS), most_found=_MOST_FOUND
    )


def priority(trials: Trials) -> Attempts:
    """Return the search for the lowest requested priority with which the workload starts."""
    routing = local_routing_of(trials.policy)
    # A priority class overrides the requested priority.
    is_fixed = routing is not None and routing.priority_label in trials.workload.labels
    values = [] if is_fixed else _priorities(trials)
    attempts = (partial(_with_priority, trials, value) for value in values)
    return Attempts(
        ChangeKind.PRIORITY, attempts, most_tried=trials.most(_PRIORITIES), most_found=1
    )


def _with_label(trials: Trials, found_keys: set[str], key: str, value: str | None) -> Change | None:
    if key in found_keys:
        return None
    changed = _labeled(trials.workload, key, value)
    if _same(trials, changed) or not trials.could_start(changed):
        return None
    started = trials.starts(workload=changed)
    if started is None:
        return None
    found_keys.add(key)
    before = trials.workload.labels.get(key)
    return _change(trials, ChangeKind.LABEL, key, before, value, changed, started)


def _with_priority(trials: Trials, value: int) -> Change | None:
    changed = replace(trials.workload, priority=value)
    if trials.route(changed).priority != value or not trials.could_start(changed):
        return None
    started = trials.starts(workload=changed)
    if started is None:
        return None
    before = trials.workload.priority
    return _change(trials, ChangeKind.PRIORITY, "", before, value, changed, started)


def _change(
    trials: Trials,
    kind: ChangeKind,
    subject: str,
    before: str | int | None,
    after: str | int | None,
    changed: Workload,
    started: Started,
) -> Change:
    queue = trials.route(changed).queue
    return Change(
        kind=kind,
        subject=subject,
        from_=before,
        to=after,
        queue=queue if queue != trials.pending.route.queue else None,
        who_loses=started.who_loses,
        who_waits=started.who_waits,
    )


def _same(trials: Trials, changed: Workload) -> bool:
    """Return whether changed labels leave route and eligibility the same."""
    before, after = trials.pending.route, trials.route(changed)
    if (before.queue, before.priority, before.problem) != (
        after.queue,
        after.priority,
        after.problem,
    ):
        return False
    queue = trials.policy.queue(before.queue)
    return queue is None or (
        trials.judge.allowed(trials.workload, queue) == trials.judge.allowed(changed, queue)
    )


def _labeled(workload: Workload, key: str, value: str | None) -> Workload:
    others = {k: v for k, v in workload.labels.items() if k != key}
    return replace(workload, labels=others if value is None else {**others, key: value})


def _label_values(trials: Trials) -> Iterator[tuple[str, str | None]]:
    """Yield each key and value, other than the present one, that the policy refers to, once."""
    seen: set[tuple[str, str | None]] = set()
    present = trials.workload.labels
    for key, value in (*_by_routing(trials), *_by_flavor(trials)):
        if (key, value) not in seen and present.get(key) != value:
            seen.add((key, value))
            yield key, value


def _by_routing(trials: Trials) -> Iterator[tuple[str, str | None]]:
    routing = local_routing_of(trials.policy)
    if routing is not None:
        return _by_name(trials, routing)
    return _by_rule(trials) if rules_of(trials.policy) else _by_label(trials)


def _by_label(trials: Trials) -> Iterator[tuple[str, str | None]]:
    """Yield the label values of a routing strategy other than rules and local queues."""
    labels = trials.policy.routing.label_values(trials.workload, trials.pending.route)
    for key, values in labels.items():
        yield from ((key, value) for value in values)


def _by_name(trials: Trials, routing: LocalQueueRouting) -> Iterator[tuple[str, str | None]]:
    for namespace, name in routing.local_queues:
        if namespace == trials.workload.namespace:
            yield routing.queue_label, name
    now = trials.pending.route.priority
    classes = sorted(routing.priority_classes.values(), key=lambda each: (each.value, each.name))
    yield from (
        (routing.priority_label, each.name) for each in classes if now is None or each.value > now
    )


def _by_rule(trials: Trials) -> Iterator[tuple[str, str | None]]:
    for rule in rules_of(trials.policy):
        yield from _meeting(rule.selector, trials.workload)


def _by_flavor(trials: Trials) -> Iterator[tuple[str, str | None]]:
    queue = trials.pending.route.queue or ""
    if queue in trials.policy.queues:
        for selector in trials.policy.spec.selectors_of(queue).values():
            yield from _meeting(selector, trials.workload)


def _meeting(selector: Selector, workload: Workload) -> Iterator[tuple[str, str | None]]:
    """Yield values with which *selector* would match, if only one label of *workload* is wrong."""
    false = [each for each in selector.expressions if not each.matches(workload.labels)]
    if len({each.key for each in false}) == 1:
        for value in _values(false[0]):
            changed = _labeled(workload, false[0].key, value)
            if selector.matches(changed.labels):
                yield false[0].key, value


def _values(expression: MatchExpression) -> tuple[str | None, ...]:
    match expression.operator:
        case Operator.IN:
            return expression.values
        case Operator.EXISTS:
            return ("true",)
        case Operator.NOT_IN | Operator.DOES_NOT_EXIST:
            return (None,)


def _priorities_in(queue: AnyQueue) -> Iterator[int]:
    yield from queue.running.priorities
    yield from (cls.priority for cls in queue.pending.classes.values())
    yield from (waiting.pending.priority for waiting in queue.preemptors.values())


def _priorities(trials: Trials) -> list[int]:
    """
    Return the priorities above the present one that may change the result, in ascending order.

    These are the priorities of running and pending workloads in the trees it may be routed to, and
    the bounds of rules; and for each, the next higher number.
    """
    now = trials.pending.route.priority or 0
    names = {trials.pending.route.queue} | {rule.queue for rule in rules_of(trials.policy)}
    trees = {trials.state.queues[name].tree for name in names if name in trials.state.queues}
    found: set[int] = set()
    for tree in trees:
        for queue in tree.queues:
            for value in _priorities_in(queue):
                found |= {value, value + 1}
    for rule in rules_of(trials.policy):
        bounds = (rule.priority.minimum, rule.priority.maximum)
        for bound in bounds:
            if bound is not None:
                found |= {bound, bound + 1}
    for rule in rules_of(trials.policy):
        if rule.index == trials.pending.route.rule and rule.priority.on_violation is (
            OnViolation.FORCE_UPDATE
        ):
            top = rule.priority.maximum
            found = {value for value in found if top is None or value <= top}
    return sorted(value for value in found if value > now)
