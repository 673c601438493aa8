"""The headline of an explanation: one sentence about the outcome and its reason."""

from __future__ import annotations

from collections.abc import Callable

from console.engine.explain.disciplines import explain_sections_of
from console.engine.explain.order import turn
from console.engine.explain.preempted import preemption_policy
from console.engine.explain.route import local_queue_problem
from console.engine.explain.sentences import ExplainContext
from console.engine.model.common_reasons import (
    BEHIND_OTHERS,
    DEACTIVATED,
    DEACTIVATED_WHILE_RUNNING,
    DRAINED,
    NOT_EVALUATED,
    PASSTHROUGH,
    PREEMPTED_IN_QUEUE,
    QUEUE_HELD,
    QUEUE_MISCONFIGURED,
    QUEUE_STOPPED,
    RUN_TIME_EXCEEDED,
    RUN_TIME_USED_UP,
    WAITING_FOR_PREEMPTED,
    WITHDRAWN_WHILE_RUNNING,
)
from console.engine.model.reasons import Reason
from console.engine.model.trace import LocalQueueVerdict
from console.engine.routing.reasons import (
    LOCAL_QUEUE_MISSING,
    NAMESPACE_NOT_ALLOWED,
    NO_RULE_MATCHED,
    NO_RULES,
    PRIORITY_CLASS_MISSING,
)
from console.engine.wording.words import failed_expression, out_of_range, sentence_case


def headline(context: ExplainContext) -> str:
    """Return the headline of the trace."""
    reason = context.trace.outcome.reason
    if isinstance(reason.headline, str):
        return reason.headline.format(queue=context.queue)
    words = reason.headline or explain_sections_of(context.trace).headlines.get(reason)
    words = words or _HEADLINES.get(reason)
    return words(context) if words is not None else f"{reason.label}."


def _no_rule(context: ExplainContext) -> str:
    rules = context.trace.rules
    if not rules:
        return "Rejected: no scheduling rule accepts it."
    lead = (
        "Rejected: the only scheduling rule does not accept it."
        if len(rules) == 1
        else f"Rejected: none of the {len(rules)} scheduling rules accepts it."
    )
    refused = next((p for p in context.trace.priorities if p.effective is None), None)
    if refused is not None:
        return f"{lead} {sentence_case(out_of_range(refused))}."
    for rule in rules:
        if rule.failed is not None:
            return f"{lead} Rule {rule.index + 1} requires {failed_expression(rule.failed)}."
    return lead


def _behind(context: ExplainContext) -> str:
    trace = context.trace
    if trace.turn is not None:
        return f"Waiting in {context.queue}: {turn(context, trace.turn)}."
    if trace.order is not None and trace.order.blocked_by is not None:
        first = context.name(trace.order.blocked_by)
        return (
            f"Waiting in {context.queue}: {first} is at the head of the queue and must start first."
        )
    return f"Waiting in {context.queue}: it would fit, but workloads ahead of it go first."


def _soon(context: ExplainContext) -> str:
    lead = f"Starting soon in {context.queue}"
    count = len(context.trace.outcome.victims)
    if count:
        are = "workload is" if count == 1 else "workloads are"
        return f"{lead}: {count} {are} being preempted to free quota."
    if context.trace.turn is not None:
        return f"{lead}: {turn(context, context.trace.turn)}."
    return f"{lead}: it fits as soon as preempted workloads have stopped."


def preempted(context: ExplainContext) -> str:
    """Return the headline with the preemptor and the preemption policy that allowed it."""
    step = context.trace.preempted
    if step is None:
        return "Preempted: it holds its quota until it is released."
    name = context.name(step.preemptor)
    return (
        f"Preempted: {name} with priority {step.preemptor_priority} needs its quota; "
        f"{preemption_policy(context, step)}."
    )


def _drained(context: ExplainContext) -> str:
    local = context.trace.local_queue
    if local is not None and local.verdict is LocalQueueVerdict.STOPPED:
        stopped = f"its local queue {local.name} is stopped"
    else:
        stopped = f"{context.queue} is stopped by its config"
    return f"Preempted: {stopped}, and its running workloads are drained."


def _unrouted(context: ExplainContext) -> str:
    step = context.trace.local_queue
    fallback = "it names no existing local queue or priority class"
    return f"Waiting: {local_queue_problem(step) if step is not None else fallback}."


def _namespace(context: ExplainContext) -> str:
    step = context.trace.local_queue
    fallback = f"{context.queue} does not admit workloads of its namespace"
    return f"Waiting: {local_queue_problem(step) if step is not None else fallback}."


def _misconfigured(context: ExplainContext) -> str:
    queue = context.trace.queue
    if queue is not None and queue.missing_flavor is not None:
        return (
            f"Waiting: {queue.name} admits nothing, because the config does not define its "
            f"flavor {queue.missing_flavor}."
        )
    return f"Waiting: {context.queue} is misconfigured and admits nothing."


def _stopped(context: ExplainContext) -> str:
    step = context.trace.local_queue
    if step is not None and step.verdict is LocalQueueVerdict.STOPPED:
        return f"Waiting: {local_queue_problem(step)} and admits nothing to {step.queue}."
    return f"Waiting: {context.queue} is stopped by its config and admits nothing new."


#: Headlines of common reasons and of the reasons of routing; disciplines have their own.
_HEADLINES: dict[Reason, Callable[[ExplainContext], str]] = {
    NO_RULES: lambda context: (
        "Admitted without a queue: the config has no scheduling rules."
        if context.has_config
        else "Admitted without a queue: there is no config yet, and an owner has to apply one."
    ),
    PASSTHROUGH: lambda context: (
        f"Admitted: {context.queue} has no quota and admits every workload."
    ),
    NO_RULE_MATCHED: _no_rule,
    LOCAL_QUEUE_MISSING: _unrouted,
    PRIORITY_CLASS_MISSING: _unrouted,
    NAMESPACE_NOT_ALLOWED: _namespace,
    QUEUE_MISCONFIGURED: _misconfigured,
    QUEUE_STOPPED: _stopped,
    QUEUE_HELD: lambda context: f"Waiting: {context.queue} is on hold and admits nothing new.",
    WAITING_FOR_PREEMPTED: _soon,
    BEHIND_OTHERS: _behind,
    NOT_EVALUATED: lambda _: (
        "Not evaluated yet: it was submitted and waits for its first evaluation."
    ),
    PREEMPTED_IN_QUEUE: preempted,
    DRAINED: _drained,
    DEACTIVATED: lambda _: "Deactivated: it gets no turn until it is activated.",
    DEACTIVATED_WHILE_RUNNING: lambda _: (
        "Deactivated while it ran: it has to stop, and holds its quota until it is released."
    ),
    RUN_TIME_USED_UP: lambda _: (
        "Deactivated: it has used up its maximum run time. It gets no turn until it is activated."
    ),
    RUN_TIME_EXCEEDED: lambda _: (
        "Stopped after its maximum run time: it holds its quota until it is released."
    ),
    WITHDRAWN_WHILE_RUNNING: lambda _: (
        "Withdrawn while it ran: it has released its quota and has to stop."
    ),
}
