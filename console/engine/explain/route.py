"""The route and priority stages of explanations: rules or local queue, and the priority."""

from __future__ import annotations

from collections.abc import Iterator

from console.engine.explain.sentences import (
    ExplainContext,
    Sentence,
    StageText,
    Verdict,
    stage_text,
)
from console.engine.model.trace import (
    LocalQueueStep,
    LocalQueueVerdict,
    PriorityStep,
    PriorityVerdict,
    RuleTried,
    RuleVerdict,
)
from console.engine.routing.reasons import NO_RULES
from console.engine.wording.words import (
    failed_expression,
    out_of_range,
    priority_range,
    sentence_case,
)


def route(context: ExplainContext) -> StageText:
    """Return the sentences about the rules that were tried, or about the local queue."""
    trace = context.trace
    if trace.local_queue is not None:
        sentences = list(_local_queue(trace.local_queue))
        return stage_text("route", sentences[-1].verdict, sentences)
    if trace.rules:
        took = trace.rules[-1].verdict is RuleVerdict.TOOK
        return stage_text("route", _judged(took), map(_rule, trace.rules))
    if trace.outcome.reason is not NO_RULES:
        return stage_text("route", Verdict.INFO, [])
    text = (
        "The config has no scheduling rules, so every workload is admitted."
        if context.has_config
        else "There is no config yet, so every workload is admitted. "
        "Apply one to use queues and quota."
    )
    return stage_text("route", Verdict.PASS, [Sentence(text=text, verdict=Verdict.PASS)])


def priority(context: ExplainContext) -> StageText:
    """Return the sentences about the source of the effective priority."""
    trace = context.trace
    if trace.local_queue is not None:
        sentence = _class_priority(trace.local_queue, trace.requested_priority)
        return stage_text("priority", sentence.verdict, [sentence])
    steps = trace.priorities
    passed = bool(steps) and steps[-1].effective is not None
    return stage_text("priority", _judged(passed), map(_rule_priority, steps))


def local_queue_problem(step: LocalQueueStep) -> str:
    """Return the problem of the local queue or priority class, without a period."""
    where = f"namespace {step.namespace}"
    match step.verdict:
        case LocalQueueVerdict.NOT_NAMED:
            label = f": the label {step.label} is absent" if step.label else ""
            default = f", and {where} has no local queue {step.default}" if step.default else ""
            return f"it names no local queue{label}{default}"
        case LocalQueueVerdict.MISSING if not step.namespace:
            return f"it has no namespace in which to find local queue {step.name}"
        case LocalQueueVerdict.MISSING:
            return f"there is no local queue {step.name} in {where}{_near(step)}"
        case LocalQueueVerdict.QUEUE_MISSING:
            return (
                f"local queue {step.name} of {where} routes to {step.queue}, which does not "
                f"exist{_near(step)}"
            )
        case LocalQueueVerdict.NO_QUEUE:
            return f"the config has no queue {step.name}{_near(step)}"
        case LocalQueueVerdict.PRIORITY_CLASS_MISSING:
            return f"there is no priority class {step.priority_class}{_near(step)}"
        case LocalQueueVerdict.STOPPED:
            return f"local queue {step.name} of {where} is stopped"
        case LocalQueueVerdict.NAMESPACE_NOT_ALLOWED if step.failed is None:
            return f"{step.queue} admits workloads of no namespace: it selects none"
        case LocalQueueVerdict.NAMESPACE_NOT_ALLOWED:
            return f"{step.queue} does not admit workloads of {where}"
        case LocalQueueVerdict.LEADS:
            return f"local queue {step.name} of {where} routes to {step.queue}"


def _local_queue(step: LocalQueueStep) -> Iterator[Sentence]:
    if step.name and step.default:
        text = f"It names no local queue, so it uses {step.default}, the default of its namespace."
        yield Sentence(text=text, origin=step.origin)
    through = (LocalQueueVerdict.NAMESPACE_NOT_ALLOWED, LocalQueueVerdict.PRIORITY_CLASS_MISSING)
    if step.verdict in (LocalQueueVerdict.LEADS, *through):
        text = f"Local queue {step.name} of namespace {step.namespace} routes to {step.queue}."
        yield Sentence(text=text, verdict=Verdict.PASS, origin=step.origin)
    if step.verdict is LocalQueueVerdict.NAMESPACE_NOT_ALLOWED:
        text, origin = local_queue_problem(step), None
        if step.failed is not None:
            text += f": it requires {failed_expression(step.failed)}"
            origin = step.failed.origin
        yield Sentence(text=f"{text}.", verdict=Verdict.FAIL, origin=origin)
    elif step.verdict not in (LocalQueueVerdict.LEADS, *through):
        text = f"{sentence_case(local_queue_problem(step))}."
        yield Sentence(text=text, verdict=Verdict.FAIL, origin=step.origin)


def _class_priority(step: LocalQueueStep, requested: int | None) -> Sentence:
    if step.priority_class is not None and step.priority is None:
        text = f"There is no priority class {step.priority_class}{_near_class(step)}."
        return Sentence(text=text, verdict=Verdict.FAIL)
    if step.priority_class is not None:
        text = f"Priority {step.priority}, from priority class {step.priority_class}."
        return Sentence(text=text, verdict=Verdict.PASS, origin=step.priority_origin)
    if requested is not None:
        return Sentence(text=f"Priority {requested}, as requested.", verdict=Verdict.PASS)
    text = "Priority 0: none was requested, and there is no priority class named default."
    return Sentence(text=text, verdict=Verdict.PASS)


def _near(step: LocalQueueStep) -> str:
    return f"; the nearest name is {step.nearest}" if step.nearest else ""


def _near_class(step: LocalQueueStep) -> str:
    return _near(step) if step.verdict is LocalQueueVerdict.PRIORITY_CLASS_MISSING else ""


def _rule(rule: RuleTried) -> Sentence:
    name = f"Rule {rule.index + 1} (to {rule.queue})"
    match rule.verdict:
        case RuleVerdict.TOOK:
            return Sentence(text=f"{name} accepts it.", verdict=Verdict.PASS, origin=rule.origin)
        case RuleVerdict.PRIORITY_OUT_OF_RANGE:
            text = f"{name} matches, but does not accept its priority."
            return Sentence(text=text, verdict=Verdict.FAIL, origin=rule.origin)
        case RuleVerdict.SELECTOR_FALSE if rule.failed is not None:
            text = f"{name} does not match: it requires {failed_expression(rule.failed)}."
            origin = rule.failed.origin or rule.origin
            return Sentence(text=text, verdict=Verdict.FAIL, origin=origin)
        case RuleVerdict.SELECTOR_FALSE:
            text = f"{name} does not match."
            return Sentence(text=text, verdict=Verdict.FAIL, origin=rule.origin)


def _rule_priority(step: PriorityStep) -> Sentence:
    rule = f"Rule {step.rule + 1}"
    match step.verdict:
        case None:
            text = f"{sentence_case(out_of_range(step))}, so the next rule is tried."
        case PriorityVerdict.REQUESTED:
            text = f"Priority {step.effective}, as requested."
        case PriorityVerdict.DEFAULT:
            text = f"Priority {step.effective}: none was requested, and {rule} gives this default."
        case PriorityVerdict.ZERO:
            text = f"Priority 0: none was requested, and {rule} has no default."
        case PriorityVerdict.FORCED:
            requested = "none" if step.requested is None else str(step.requested)
            text = (
                f"Priority {step.effective}: {requested} was requested, "
                f"and {rule} accepts {priority_range(step)}."
            )
    verdict = Verdict.FAIL if step.verdict is None else Verdict.PASS
    return Sentence(text=text, verdict=verdict, origin=step.origin)


def _judged(passed: bool) -> Verdict:
    return Verdict.PASS if passed else Verdict.FAIL
