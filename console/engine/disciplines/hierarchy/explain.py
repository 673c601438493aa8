"""Explanation of the discipline: placement rules, limits, nodes and preemption."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from console.engine.disciplines.hierarchy.applications import Message
from console.engine.disciplines.hierarchy.headlines import applications, limit_of
from console.engine.disciplines.hierarchy.original_messages import original_messages
from console.engine.disciplines.hierarchy.placement import Verdict as Answer
from console.engine.disciplines.hierarchy.placement_words import answer
from console.engine.disciplines.hierarchy.reasons import PREEMPTED_ON_NODE
from console.engine.disciplines.hierarchy.trace import (
    CheckStep,
    PreemptionStep,
    RuleStep,
    facts_of,
)
from console.engine.explain.explain_sections import ExplainSections, Stage
from console.engine.explain.pods_on_nodes import nodes_stage, preemptor
from console.engine.explain.queue import queue
from console.engine.explain.route import route
from console.engine.explain.sentences import (
    ExplainContext,
    Sentence,
    StageText,
    Verdict,
    stage_text,
)
from console.engine.wording.words import (
    amount,
    amounts,
    cut,
    plural,
    quantity,
    resource_name,
    sentence_case,
)

#: What the messages about preemption mean.
_PREEMPTION: Final = {
    Message.NO_PREEMPTION: "no choice of pods that may be stopped is enough",
    Message.ATTEMPTS_EXHAUSTED: "other pods of the queue have already tried it in this cycle",
    Message.PRECONDITIONS: (
        "it is tried only for pods that have waited for the delay of their queue, and not at "
        "every turn"
    ),
    Message.NO_GUARANTEE: (
        "with the pod, the queue would use more than its guarantee, or it has none"
    ),
    Message.SHORTFALL: "the pods that may be stopped are too few",
    Message.REQUIRED_NODE: (
        "the pods of the same or a lower priority on the node that it names use too little"
    ),
}


def _rules(context: ExplainContext) -> StageText:
    """Return the answers of the placement rules, or the sentences of other languages."""
    facts = facts_of(context.trace)
    if not facts.rules:
        return route(context)
    verdict = Verdict.PASS if facts.rules[-1].verdict is Answer.ACCEPTED else Verdict.FAIL
    return stage_text("route", verdict, map(_rule, facts.rules))


def _rule(step: RuleStep) -> Sentence:
    text = sentence_case(answer(step))
    if step.verdict is Answer.NO_ACCESS:
        text = f"{text}. {_submitters(step)}"
    is_passed = step.verdict is Answer.ACCEPTED
    return Sentence(text=f"{text}.", verdict=Verdict.PASS if is_passed else Verdict.FAIL)


def _submitters(step: RuleStep) -> str:
    """Return who may submit to the queue, without a period."""
    named = []
    if step.users:
        named.append(f"{'user' if len(step.users) == 1 else 'users'} {cut(step.users)}")
    if step.groups:
        named.append(f"{'group' if len(step.groups) == 1 else 'groups'} {cut(step.groups)}")
    if not named:
        return "No user may"
    return sentence_case(f"{', and '.join(named)}{',' if len(named) > 1 else ''} may submit there")


def _queue(context: ExplainContext) -> StageText:
    """Return the sentences of other disciplines if the queue admits nothing, or else ours."""
    step = context.trace.queue
    if step is None or step.held or step.stopped:
        return queue(context)
    text = (
        f"{step.name} admits workloads as long as limits, maxima and nodes allow. A workload that "
        "has to wait does not delay others."
    )
    sentence = Sentence(text=text, verdict=Verdict.PASS, origin=step.origin)
    return stage_text("queue", Verdict.PASS, [sentence])


def _request(context: ExplainContext) -> StageText:
    facts = facts_of(context.trace)
    if facts.problem:
        return stage_text("request", Verdict.FAIL, [Sentence(text=facts.problem)])
    if not facts.pods:
        return stage_text("request", Verdict.INFO, [])
    requested = amounts(facts.request) or "nothing"
    text = f"A pod requests {requested}."
    if facts.pods > 1:
        text = f"{plural(facts.pods, 'pod')} start together. Each requests {requested}."
    sentences = [Sentence(text=text, numbers=dict(facts.request))]
    if facts.user:
        whose = f"It is submitted for user {facts.user}"
        if facts.group == "*":
            whose = f"{whose}, whose groups have no limits of their own"
        elif facts.group:
            whose = f"{whose}, for whom the limits of group {facts.group} count"
        sentences.append(Sentence(text=f"{whose}."))
    return stage_text("request", Verdict.INFO, sentences)


def _limits(context: ExplainContext) -> StageText:
    facts = facts_of(context.trace)
    checks = facts.checks or ((facts.refusal,) if facts.refusal is not None else ())
    verdict = Verdict.PASS if all(each.passes for each in checks) else Verdict.FAIL
    return stage_text("limits", verdict, map(_check, checks))


def _check(check: CheckStep) -> Sentence:
    limit = sentence_case(limit_of(check))
    if check.counts_applications:
        text = f"{limit}: {applications(check.limit)}, {check.used} running."
    else:
        text = (
            f"{limit}: {amount(check.limit, check.resource)}, "
            f"{quantity(check.used, check.resource)} used, "
            f"{quantity(check.requested, check.resource)} requested."
        )
    return Sentence(
        text=text,
        verdict=Verdict.PASS if check.passes else Verdict.FAIL,
        numbers={
            "requested": check.requested,
            "available": check.available,
            "limit": check.limit,
            "used": check.used,
        },
    )


def _nodes(context: ExplainContext) -> StageText:
    facts = facts_of(context.trace)
    return nodes_stage(context, facts.nodes, facts.exceeded, pods=facts.pods, placed=facts.placed)


def _search(context: ExplainContext) -> StageText:
    step = facts_of(context.trace).preemption
    sentences = [] if step is None else [_verdict_of_preemption(step)]
    return stage_text("search_for_room", Verdict.FAIL, sentences)


def _verdict_of_preemption(step: PreemptionStep) -> Sentence:
    meaning = _PREEMPTION.get(Message(step.text)) if step.text in set(Message) else None
    text = f"Preemption does not free enough: {meaning or step.text}."
    if step.fence:
        text = f"{text} Pods below {step.fence} were considered"
        text = f"{text}." if step.candidates is None else f"{text}, {step.candidates} of them."
    numbers = {} if step.candidates is None else {"candidates": step.candidates}
    return Sentence(text=text, verdict=Verdict.FAIL, numbers=numbers)


def _preemption(context: ExplainContext) -> StageText:
    step = context.trace.preempted
    if step is None:
        return stage_text("preemption", Verdict.FAIL, [])
    sentences = [preemptor(context, step)]
    is_guarantee = context.trace.outcome.reason != PREEMPTED_ON_NODE
    for each in step.uses if is_guarantee else ():
        text = (
            f"{each.queue} used {amount(each.used, each.resource)} with a guarantee of "
            f"{quantity(each.guaranteed, each.resource)}."
        )
        sentences.append(Sentence(text=text, numbers={f"{each.resource} used": each.used}))
    return stage_text("preemption", Verdict.FAIL, sentences)


def _original(context: ExplainContext) -> StageText:
    sentences = [Sentence(text=f"YuniKorn reports: {text}") for text in original_messages(context)]
    return stage_text("original_message", Verdict.INFO, sentences)


def _facts(context: ExplainContext) -> Iterator[tuple[str, str]]:
    facts = facts_of(context.trace)
    for each in facts.nodes:
        yield f"Nodes short of {resource_name(each.cause)}", str(each.nodes)
    for check in facts.checks:
        name = sentence_case(limit_of(check))
        if check.counts_applications:
            yield f"{name}, applications", f"{check.used} of {check.limit}"
        else:
            used, limit = (quantity(value, check.resource) for value in (check.used, check.limit))
            yield f"{name}, {resource_name(check.resource)}", f"{used} of {limit}"


EXPLAIN_SECTIONS: Final = ExplainSections(
    stages=(
        Stage(code="route", words=_rules),
        Stage(code="queue", words=_queue),
        Stage(code="request", words=_request),
        Stage(code="limits", words=_limits, facts=_facts),
        Stage(code="nodes", words=_nodes),
        Stage(code="search_for_room", words=_search),
        Stage(code="preemption", words=_preemption),
        Stage(code="original_message", words=_original),
    ),
)
