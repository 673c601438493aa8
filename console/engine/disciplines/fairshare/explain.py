"""Explanation of the discipline: limits and quotas, nodes, order of queues, searches for room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from console.engine.disciplines.fairshare import headlines
from console.engine.disciplines.fairshare.gates import Gate
from console.engine.disciplines.fairshare.nomination import Hurdle, Search
from console.engine.disciplines.fairshare.original_messages import original_message
from console.engine.disciplines.fairshare.queue_order import Rule
from console.engine.disciplines.fairshare.reasons import QUEUE_HAS_CHILDREN
from console.engine.disciplines.fairshare.reclaim import Step
from console.engine.disciplines.fairshare.trace import (
    GateStep,
    OrderRule,
    ReclaimStep,
    SearchStep,
    VictimStep,
    facts_of,
)
from console.engine.explain.explain_sections import ExplainSections, Stage
from console.engine.explain.pods_on_nodes import nodes_stage, preemptor
from console.engine.explain.queue import queue
from console.engine.explain.sentences import (
    ExplainContext,
    Sentence,
    StageText,
    Verdict,
    stage_text,
)
from console.engine.model.amounts import Amount, Unlimited
from console.engine.model.common_reasons import QUEUE_MISCONFIGURED
from console.engine.model.trace import Trace
from console.engine.wording.words import amount, amounts, plural, quantity, resource_name

#: Why a rule decides, as words after "a before b: ", about the queue that is first.
RULES: Final = {
    Rule.OVER_FAIR_SHARE: "the other one uses more than its fair share of every resource",
    Rule.IN_QUOTA: "with its next workload it stays within its quota",
    Rule.PRIORITY: "it has the higher priority",
    Rule.NO_SHARE: "the other one would use a resource of which it may use none",
    Rule.SHARE_WITH_WORKLOAD: "with its next workload it has the smaller dominant share",
    Rule.SHARE: "it has the smaller dominant share",
    Rule.ALLOCATABLE: "it may use less",
    Rule.AGE: "it is older, or as old and its name sorts first",
}

_SEARCHES: Final = {
    Search.RECLAIM: "Reclaiming from other queues",
    Search.PREEMPT: "Preempting workloads of its queue with a lower priority",
    Search.CONSOLIDATE: "Moving workloads to other nodes",
}

_NO_CANDIDATES: Final = {
    Search.RECLAIM: "no workload of another queue may be reclaimed",
    Search.PREEMPT: "no workload of its queue with a lower priority may be preempted",
    Search.CONSOLIDATE: "no workload may be moved",
}


def _queue(context: ExplainContext) -> StageText:
    """Return the sentences of other disciplines if the queue admits nothing, or else ours."""
    step, facts = context.trace.queue, facts_of(context.trace)
    if step is None or step.held or step.stopped:
        return queue(context)
    reason, verdict = context.trace.outcome.reason, Verdict.FAIL
    if facts.missing_parent:
        text = (
            f"{step.name} admits nothing: the config does not define the queue "
            f"{facts.missing_parent} above it."
        )
    elif reason is QUEUE_MISCONFIGURED:
        return queue(context)
    elif reason is QUEUE_HAS_CHILDREN and facts.lacks_parent:
        text = f"{step.name} has no parent. Workloads run in queues with a parent only."
    elif reason is QUEUE_HAS_CHILDREN:
        text = f"{step.name} has child queues. Workloads run in queues without child queues only."
    else:
        verdict = Verdict.PASS
        text = (
            f"{step.name} admits workloads as long as its limit, the limits above it and the nodes "
            "allow. A workload that has to wait does not delay others."
        )
    sentence = Sentence(text=text, verdict=verdict, origin=step.origin)
    return stage_text("queue", verdict, [sentence])


def _request(context: ExplainContext) -> StageText:
    facts = facts_of(context.trace)
    if facts.problem:
        return stage_text("request", Verdict.FAIL, [Sentence(text=facts.problem)])
    if not facts.pods:
        return stage_text("request", Verdict.INFO, [])
    together = " that start together" if facts.pods > 1 else ""
    kind = "cannot be preempted" if facts.cannot_be_preempted else "may be preempted"
    requested = amounts(facts.request) or "nothing that queues count"
    verb = "requests" if facts.pods == 1 else "request"
    text = f"{plural(facts.pods, 'pod')}{together} {verb} {requested}; the workload {kind}."
    sentence = Sentence(text=text, numbers=dict(facts.request))
    return stage_text("request", Verdict.INFO, [sentence])


def _limits(context: ExplainContext) -> StageText:
    facts = facts_of(context.trace)
    gates = facts.gates or ((facts.refusal,) if facts.refusal is not None else ())
    verdict = Verdict.PASS if all(each.is_open for each in gates) else Verdict.FAIL
    return stage_text("limits", verdict, map(_gate, gates))


def _gate(gate: GateStep) -> Sentence:
    total = amount(gate.bound, gate.resource)
    requested = amount(gate.requested, gate.resource)
    if gate.gate is Gate.LIMIT:
        bound = f"Limit of {gate.queue}: {total}"
        used = f"{amount(gate.used, gate.resource)} used"
    else:
        bound = f"Quota of {gate.queue}: {total}"
        used = f"{amount(gate.used, gate.resource)} used by workloads that cannot be preempted"
    return Sentence(
        text=f"{bound}, {used}, {requested} requested.",
        verdict=Verdict.PASS if gate.is_open else Verdict.FAIL,
        numbers={
            "bound": _number(gate.bound),
            "used": gate.used,
            "requested": gate.requested,
        },
    )


def _number(value: Amount) -> int | str:
    return "unlimited" if isinstance(value, Unlimited) else value


def _nodes(context: ExplainContext) -> StageText:
    facts = facts_of(context.trace)
    return nodes_stage(context, facts.nodes, facts.exceeded, pods=facts.pods, placed=facts.placed)


def _order(context: ExplainContext) -> StageText:
    facts = facts_of(context.trace)
    is_last = any(not each.is_first for each in facts.order)
    verdict = Verdict.FAIL if is_last else Verdict.PASS
    return stage_text("queue_order", verdict if facts.order else Verdict.INFO, _rules(facts.order))


def _rules(order: tuple[OrderRule, ...]) -> Iterator[Sentence]:
    for each in order:
        first, second = (each.queue, each.sibling) if each.is_first else (each.sibling, each.queue)
        number = list(Rule).index(each.rule) + 1
        yield Sentence(
            text=f"{first} before {second}: {RULES[each.rule]} (rule {number} of {len(Rule)}).",
            verdict=Verdict.PASS if each.is_first else Verdict.FAIL,
        )


def _searches(context: ExplainContext) -> StageText:
    sentences = [
        sentence for each in facts_of(context.trace).searches for sentence in _search(context, each)
    ]
    return stage_text("search_for_room", Verdict.FAIL, sentences)


def _search(context: ExplainContext, step: SearchStep) -> Iterator[Sentence]:
    title = _SEARCHES[step.search]
    if step.gate is not None:
        yield Sentence(text=f"{title} was not tried: {_closed(step.gate)}.", verdict=Verdict.FAIL)
    elif step.refusal is not None:
        yield Sentence(
            text=f"{title} was not tried: {_refusal(step.refusal)}.", verdict=Verdict.FAIL
        )
    elif not step.candidates:
        yield Sentence(
            text=f"{title} found nothing: {_NO_CANDIDATES[step.search]}.", verdict=Verdict.FAIL
        )
    else:
        count = plural(step.candidates, "workload")
        yield Sentence(
            text=f"{title} failed: {count} could be considered, and no choice of them makes room.",
            verdict=Verdict.FAIL,
            numbers={"candidates": step.candidates},
        )
    for each in step.victims:
        yield _victim(context, each)


def _closed(gate: GateStep) -> str:
    return (
        f"the quota of {gate.queue} is {amount(gate.bound, gate.resource)}, workloads that cannot "
        f"be preempted use {quantity(gate.used, gate.resource)} of it, and it requests "
        f"{quantity(gate.requested, gate.resource)}"
    )


def _refusal(step: ReclaimStep) -> str:
    resource = f" of {resource_name(step.resource)}" if step.resource else ""
    match step.step:
        case Step.FAIR_SHARE if step.resource:
            return (
                f"{step.queue} uses {amount(step.used, step.resource)}, its fair share is "
                f"{quantity(step.bound, step.resource)}, and it requests "
                f"{quantity(step.requested, step.resource)} more"
            )
        case Step.FAIR_SHARE:
            return f"with it, {step.queue} would use more than its fair share of some resource"
        case Step.QUOTA:
            return (
                f"with it, workloads that cannot be preempted would exceed the quota of "
                f"{step.queue}"
            )
        case Step.ENTITLED if not step.victim:
            return "no other queue uses more than it is entitled to"
        case Step.ENTITLED:
            return (
                f"{step.victim} does not use more than it is entitled to, compared with "
                f"{step.queue}"
            )
        case Step.SATURATION:
            return (
                f"{step.queue} would exceed its fair share{resource} by as much as {step.victim}, "
                "or by more"
            )


def _victim(context: ExplainContext, step: VictimStep) -> Sentence:
    name = f"{context.name(step.workload)} of {step.queue}"
    match step.hurdle:
        case Hurdle.PROTECTED:
            text = f"{name} has not run for its minimum runtime yet, so that it may not be stopped."
        case Hurdle.NOT_RECLAIMABLE:
            why = _refusal(step.refusal) if step.refusal is not None else "fair shares forbid it"
            text = f"Up to {name}: {why}."
        case _:
            text = f"Up to {name}: even without them its pods have no room."
    return Sentence(text=text, verdict=Verdict.FAIL, workloads=(step.workload,))


def _preemption(context: ExplainContext) -> StageText:
    step = context.trace.preempted
    if step is None:
        return stage_text("preemption", Verdict.FAIL, [])
    sentences = [preemptor(context, step)]
    for uses in headlines.by_queue(step.uses):
        figures = {f"{each.resource} used": each.used for each in uses}
        sentences.append(Sentence(text=headlines.queue_sentence(uses), numbers=figures))
    return stage_text("preemption", Verdict.FAIL, sentences)


def _original(context: ExplainContext) -> StageText:
    text = original_message(context)
    sentences = [Sentence(text=f"KAI reports: {text}")] if text else []
    return stage_text("original_message", Verdict.INFO, sentences)


def _facts(context: ExplainContext) -> Iterator[tuple[str, str]]:
    facts = facts_of(context.trace)
    for each in facts.nodes:
        yield f"Nodes short of {resource_name(each.cause)}", str(each.nodes)
    for gate in facts.gates:
        kind = "Limit" if gate.gate is Gate.LIMIT else "Quota"
        used = f"{quantity(gate.used, gate.resource)} of {quantity(gate.bound, gate.resource)}"
        yield f"{kind} of {gate.queue}, {resource_name(gate.resource)}", used


def _mentioned(trace: Trace) -> Iterator[str]:
    # The original message names the workload itself.
    yield trace.workload
    for search in facts_of(trace).searches:
        for victim in search.victims:
            yield victim.workload


EXPLAIN_SECTIONS: Final = ExplainSections(
    stages=(
        Stage(code="queue", words=_queue),
        Stage(code="request", words=_request),
        Stage(code="limits", words=_limits, facts=_facts),
        Stage(code="nodes", words=_nodes),
        Stage(code="queue_order", words=_order),
        Stage(code="search_for_room", words=_searches),
        Stage(code="preemption", words=_preemption),
        Stage(code="original_message", words=_original),
    ),
    headlines={QUEUE_MISCONFIGURED: headlines.misconfigured},
    mentioned=_mentioned,
)
