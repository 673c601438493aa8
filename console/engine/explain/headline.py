"""The headline: one plain sentence that says where a workload is and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from console.engine.explain.flavors import borrowed, lending_cohort, obstacle
from console.engine.explain.order import turn
from console.engine.explain.preemption import finds_nobody
from console.engine.explain.rights import right
from console.engine.explain.route import local_queue_problem
from console.engine.explain.sentences import Telling
from console.engine.model.amounts import Amount
from console.engine.model.common_reasons import (
    BEHIND_OTHERS,
    DRAINED,
    NOT_EVALUATED,
    PASSTHROUGH,
    PREEMPTED_IN_QUEUE,
    QUEUE_HELD,
    QUEUE_MISCONFIGURED,
    QUEUE_STOPPED,
    WAITING_FOR_PREEMPTED,
    WITHDRAWN_WHILE_RUNNING,
)
from console.engine.model.decision import Outcome
from console.engine.model.reasons import Reason
from console.engine.model.trace import (
    FlavorTried,
    FlavorVerdict,
    GroupStep,
    LocalQueueVerdict,
    QuotaCheck,
    Trace,
)
from console.engine.routing.reasons import (
    LOCAL_QUEUE_MISSING,
    NAMESPACE_NOT_ALLOWED,
    NO_FLAVOR_MATCHED,
    NO_RULE_MATCHED,
    NO_RULES,
    PRIORITY_CLASS_MISSING,
)
from console.engine.wording.words import (
    amount,
    failed_expression,
    listed,
    out_of_range,
    quantity,
    resource_name,
    sentence_case,
)

#: Verdicts of a flavor that cannot give what is asked for, under this config.
_OUT = frozenset(
    {
        FlavorVerdict.FLAVOR_MISSING,
        FlavorVerdict.SELECTOR_FALSE,
        FlavorVerdict.TAINT_NOT_TOLERATED,
        FlavorVerdict.LABELS_DO_NOT_MATCH,
        FlavorVerdict.EXCEEDS_MAX,
        FlavorVerdict.NOT_REACHED,
    }
)


#: As many obstacles fit into one sentence.
_OBSTACLES = 2


def headline(telling: Telling) -> str:
    """Return the headline of the trace that is told."""
    reason = telling.trace.outcome.reason
    if isinstance(reason.headline, str):
        return reason.headline.format(queue=telling.queue)
    words = reason.headline or _HEADLINES.get(reason)
    return words(telling) if words is not None else f"{reason.label}."


def admitted(telling: Telling) -> str:
    """Say on which flavors a workload was admitted, and what it borrows."""
    trace, queue = telling.trace, telling.queue
    flavors = sorted({f for each in trace.outcome.assignment for f in each.flavors.values()})
    if not flavors:
        return f"Admitted in {queue}: it requests no resource that the queue limits."
    parts = [
        f"{amount(borrowed(check), check.resource)} on {tried.flavor} from "
        f"{lending_cohort(trace, check)}"
        for group in trace.groups
        for tried in group.flavors
        if tried.flavor == group.chosen
        for check in tried.checks
        if borrowed(check)
    ]
    why = f": it borrows {listed(parts)}" if parts else ": its request fits the free quota"
    if not trace.groups:
        # It runs since long; what was free when it started is in the decision of that time.
        why = ""
    fewer = _fewer_pods(trace)
    reduced = f" with {fewer}" if fewer else ""
    return f"Admitted in {queue} on {listed(flavors)}{reduced}{why}."


def _fewer_pods(trace: Trace) -> str:
    """Return the pod sets that start, or were tried, with fewer pods than they ask for; or ""."""
    return listed(
        f"{each.reduced_to} of {each.count} pods of {each.name}"
        for each in trace.pod_sets
        if each.reduced_to is not None
    )


def _no_rule(telling: Telling) -> str:
    rules = telling.trace.rules
    if not rules:
        return "Rejected: no scheduling rule accepts it."
    lead = (
        "Rejected: the only scheduling rule does not accept it."
        if len(rules) == 1
        else f"Rejected: none of the {len(rules)} scheduling rules accepts it."
    )
    refused = next((p for p in telling.trace.priorities if p.effective is None), None)
    if refused is not None:
        return f"{lead} {sentence_case(out_of_range(refused))}."
    for rule in rules:
        if rule.failed is not None:
            return f"{lead} Rule {rule.index + 1} requires {failed_expression(rule.failed)}."
    return lead


def _no_flavor(telling: Telling) -> str:
    trace, queue = telling.trace, telling.queue
    is_rejected = trace.outcome.outcome is Outcome.REJECTED
    lead = "Rejected" if is_rejected else "Can never run under this config"
    if trace.undeclared is not None:
        resource = resource_name(trace.undeclared)
        return f"{lead}: it requests {resource}, which is in no resource group of {queue}."
    tried = [flavor for group in trace.groups for flavor in group.flavors]
    failed = [flavor.failed for flavor in tried if flavor.failed is not None]
    if all(flavor.verdict is FlavorVerdict.SELECTOR_FALSE for flavor in tried):
        lead = f"{lead}: no flavor of {queue} accepts its labels"
        if len({(f.key, f.operator, f.values) for f in failed}) == 1:
            return f"{lead}; they need {failed_expression(failed[0])}."
        return f"{lead}."
    against = [text for each in tried if (text := obstacle(each, queue)) is not None]
    lead = f"{lead}: no flavor of {queue} accepts its pods"
    return f"{'; '.join([lead, *against[:_OBSTACLES]])}."


def exceeds(telling: Telling) -> str:
    """Say which requests exceed what the queue can ever have."""
    parts = []
    for group in telling.trace.groups:
        exceeded = [(flavor.flavor, found) for flavor in group.flavors if (found := _over(flavor))]
        if not _usable(group) and exceeded:
            flavor, checks = min(exceeded, key=lambda pair: _distance(pair[1]))
            asked = listed(amount(each.requested + each.assumed, each.resource) for each in checks)
            most = listed(
                amount(each.maximum, each.resource)
                if len(checks) > 1
                else quantity(each.maximum, each.resource)
                for each in checks
            )
            parts.append(
                f"it requests {asked}, but {telling.queue} can never have more than {most} "
                f"on {flavor}"
            )
    why = "; ".join(parts) or f"it requests more than {telling.queue} can ever have"
    fewest = _fewer_pods(telling.trace)
    even = f"even with {fewest}, " if fewest else ""
    return f"Can never run under this config: {even}{why}."


def short(telling: Telling) -> str:
    """Say how much quota a workload lacks."""
    parts = [
        f"needs {amount(check.requested + check.assumed, check.resource)} on {flavor.flavor}, "
        f"{quantity(max(0, check.available), check.resource)} free now, "
        f"{quantity(check.missing, check.resource)} short"
        for group in telling.trace.groups
        for flavor in _closest(group)
        for check in flavor.checks
        if check.missing
    ]
    why = "; ".join(parts) or "the quota that it needs is in use"
    fewest = _fewer_pods(telling.trace)
    if fewest:
        why = f"to start with {fewest} it {why}" if parts else f"{why}, even for {fewest}"
    if finds_nobody(telling.trace.preemption):
        why += "; no workload may be preempted for it"
    return f"Waiting for quota in {telling.queue}: {why}."


def _behind(telling: Telling) -> str:
    trace = telling.trace
    if trace.turn is not None:
        return f"Waiting in {telling.queue}: {turn(telling, trace.turn)}."
    if trace.order is not None and trace.order.blocked_by is not None:
        first = telling.name(trace.order.blocked_by)
        return (
            f"Waiting in {telling.queue}: {first} is at the head of the queue and must start first."
        )
    return f"Waiting in {telling.queue}: it would fit, but workloads ahead of it go first."


def _soon(telling: Telling) -> str:
    lead = f"Starting soon in {telling.queue}"
    count = len(telling.trace.outcome.victims)
    if count:
        are = "workload is" if count == 1 else "workloads are"
        return f"{lead}: {count} {are} being preempted to free quota."
    if telling.trace.turn is not None:
        return f"{lead}: {turn(telling, telling.trace.turn)}."
    return f"{lead}: it fits as soon as preempted workloads have stopped."


def preempted(telling: Telling) -> str:
    """Say for which workload one was preempted, and by what right."""
    step = telling.trace.preempted
    if step is None:
        return "Preempted: it holds its quota until it is released."
    name = telling.name(step.preemptor)
    return (
        f"Preempted: {name} with priority {step.preemptor_priority} needs its quota; "
        f"{right(telling, step)}."
    )


def _drained(telling: Telling) -> str:
    local = telling.trace.local_queue
    if local is not None and local.verdict is LocalQueueVerdict.STOPPED:
        stopped = f"its local queue {local.name} is stopped"
    else:
        stopped = f"{telling.queue} is stopped by its config"
    return f"Preempted: {stopped}, and its running workloads are drained."


def _unrouted(telling: Telling) -> str:
    step = telling.trace.local_queue
    fallback = "it names no existing local queue or priority class"
    return f"Waiting: {local_queue_problem(step) if step is not None else fallback}."


def _namespace(telling: Telling) -> str:
    step = telling.trace.local_queue
    fallback = f"{telling.queue} does not admit workloads of its namespace"
    return f"Waiting: {local_queue_problem(step) if step is not None else fallback}."


def _misconfigured(telling: Telling) -> str:
    queue = telling.trace.queue
    if queue is not None and queue.missing_flavor is not None:
        return (
            f"Waiting: {queue.name} admits nothing, because the config does not define its "
            f"flavor {queue.missing_flavor}."
        )
    return f"Waiting: {telling.queue} is misconfigured and admits nothing."


def _stopped(telling: Telling) -> str:
    step = telling.trace.local_queue
    if step is not None and step.verdict is LocalQueueVerdict.STOPPED:
        return f"Waiting: {local_queue_problem(step)} and admits nothing to {step.queue}."
    return f"Waiting: {telling.queue} is stopped by its config and admits nothing new."


#: Of the reasons of the shell and of routing; those of disciplines have their own.
_HEADLINES: dict[Reason, Callable[[Telling], str]] = {
    NO_RULES: lambda telling: (
        "Admitted without a queue: the config has no scheduling rules."
        if telling.has_config
        else "Admitted without a queue: there is no config yet, and an owner has to apply one."
    ),
    PASSTHROUGH: lambda telling: (
        f"Admitted: {telling.queue} has no quota and admits every workload."
    ),
    NO_RULE_MATCHED: _no_rule,
    NO_FLAVOR_MATCHED: _no_flavor,
    LOCAL_QUEUE_MISSING: _unrouted,
    PRIORITY_CLASS_MISSING: _unrouted,
    NAMESPACE_NOT_ALLOWED: _namespace,
    QUEUE_MISCONFIGURED: _misconfigured,
    QUEUE_STOPPED: _stopped,
    QUEUE_HELD: lambda telling: f"Waiting: {telling.queue} is on hold and admits nothing new.",
    WAITING_FOR_PREEMPTED: _soon,
    BEHIND_OTHERS: _behind,
    NOT_EVALUATED: lambda _: (
        "Not evaluated yet: it was submitted and waits for its first evaluation."
    ),
    PREEMPTED_IN_QUEUE: preempted,
    DRAINED: _drained,
    WITHDRAWN_WHILE_RUNNING: lambda _: (
        "Withdrawn while it ran: it has released its quota and has to stop."
    ),
}


def _closest(group: GroupStep) -> list[FlavorTried]:
    """Return the flavor that was found best, or else the first of those that lack the least."""
    if group.chosen is not None:
        return [flavor for flavor in group.flavors if flavor.flavor == group.chosen]
    full = [flavor for flavor in group.flavors if flavor.verdict is FlavorVerdict.NO_ROOM]
    return sorted(full, key=lambda flavor: sum(c.missing for c in flavor.checks))[:1]


def _usable(group: GroupStep) -> bool:
    return any(flavor.verdict not in _OUT for flavor in group.flavors)


def _over(flavor: FlavorTried) -> list[QuotaCheck]:
    """Return the checks of each resource of which the queue can never have enough on *flavor*."""
    return [check for check in flavor.checks if check.verdict is FlavorVerdict.EXCEEDS_MAX]


def _distance(checks: Sequence[QuotaCheck]) -> tuple[int, int]:
    """Return how far a flavor is from being large enough, for sorting: the nearest first."""
    return len(checks), -max(_rank(check.maximum) for check in checks)


def _rank(value: Amount) -> int:
    return value if isinstance(value, int) else 1 << 80
