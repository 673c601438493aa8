"""The order stage of explanations: the position in the queue, and the result of the turn."""

from __future__ import annotations

from collections.abc import Iterator

from console.engine.explain.sentences import (
    ExplainContext,
    Sentence,
    StageText,
    Verdict,
    stage_text,
)
from console.engine.model.trace import OrderStep, TurnStep, TurnVerdict
from console.engine.wording.words import plural, sentence_case


def order(context: ExplainContext) -> StageText:
    """Return the sentences about the position of a workload in its queue, and about its turn."""
    sentences: list[Sentence] = []
    if context.trace.order is not None:
        sentences += _place(context, context.trace.order)
    if context.trace.turn is not None:
        step = context.trace.turn
        text = f"{sentence_case(turn(context, step))}."
        sentences.append(Sentence(text=text, verdict=Verdict.FAIL, workloads=step.others[:5]))
    failed = context.trace.turn is not None or _is_blocked(context.trace.order)
    return stage_text("order", Verdict.FAIL if failed else Verdict.INFO, sentences)


def turn(context: ExplainContext, step: TurnStep) -> str:
    """Return the result of a turn in words, without a capital letter and a period."""
    others = context.named(step.others) if step.others else ""
    one = len(step.others) == 1
    match step.verdict:
        case TurnVerdict.OVERTAKEN:
            whom = others or "other workloads"
            return f"when its turn came, {whom} had taken or claimed the quota"
        case TurnVerdict.VICTIMS_TAKEN:
            whom = others or "other workloads"
            return f"the workloads it would preempt are already being preempted for {whom}"
        case TurnVerdict.AFTER_OTHERS:
            whom = others or "other workloads"
            return f"it fits once the workloads that are being preempted for {whom} have stopped"
        case TurnVerdict.STILL_HELD if one:
            return f"it fits as soon as {others} has stopped and releases its quota"
        case TurnVerdict.STILL_HELD:
            whom = others or "workloads that are stopping"
            return f"it fits as soon as {whom} have stopped and release their quota"
        case TurnVerdict.YIELDS:
            whom = others or "another workload"
            return f"it was preempted for {whom}, which is still pending and goes first"
        case TurnVerdict.CROWDED:
            before = f" ({others})" if others else ""
            return (
                f"enough workloads ahead of it{before} already wait for preempted workloads to "
                "stop, so it does not preempt yet"
            )
        case TurnVerdict.CIRCLE:
            beside = f" alongside {others}" if others else ""
            return (
                f"its repeated attempts{beside} had no result, so it waits until a workload ends "
                "or the config changes"
            )


def _place(context: ExplainContext, step: OrderStep) -> Iterator[Sentence]:
    numbers = {"pending": step.pending, "alike": step.alike, "cannot_run": step.cannot_run}
    reason = context.trace.outcome.reason
    if step.position is None and reason.is_deactivated:
        texts = ["It has no position in the queue until it is activated."]
    elif step.position is None:
        texts = ["It has no position in the queue, because it can never run."]
    else:
        numbers = {"position": step.position, **numbers}
        texts = [f"Position {step.position} of {step.pending} in the queue."]
        if step.cannot_run:
            texts.append(
                f"{plural(step.cannot_run, 'pending workload')} of the queue can never run and "
                f"{'is' if step.cannot_run == 1 else 'are'} not counted."
            )
    if step.strict:
        texts.append(
            "Ordered by priority, then submission; no workload overtakes the head of the queue."
        )
    else:
        texts.append(
            "Ordered by priority, then submission; a workload may overtake one that does not fit."
        )
    if step.alike > 1 and not reason.is_deactivated:
        texts.append(f"{step.alike} equivalent pending workloads wait for the same quota.")
    yield from (Sentence(text=text, numbers=numbers) for text in texts)
    if step.blocked_by is not None:
        text = (
            f"{context.name(step.blocked_by)} is at the head of the queue and must start before it."
        )
        yield Sentence(text=text, verdict=Verdict.FAIL, workloads=(step.blocked_by,))


def _is_blocked(step: OrderStep | None) -> bool:
    return step is not None and step.blocked_by is not None
