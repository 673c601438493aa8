"""Placement rules and their answers in words."""

from __future__ import annotations

from typing import Final

from console.engine.disciplines.hierarchy.placement import Verdict
from console.engine.disciplines.hierarchy.spec import RuleKind
from console.engine.disciplines.hierarchy.trace import RuleStep

_ANSWERS: Final = {
    Verdict.ACCEPTED: "{rule} answers {queue}",
    Verdict.NO_INPUT: "{rule} applies only to workloads that name a queue",
    Verdict.FILTERED: "the filter of {rule} does not accept the user",
    Verdict.MISSING: "{rule} answers {queue}, which does not exist, and it creates no queue",
    Verdict.NO_PARENT: "{rule} has no queue above",
    Verdict.NO_ACCESS: "{rule} answers {queue}, and the user may not submit to {at}",
    Verdict.NOT_A_LEAF: "{rule} answers {queue}, which is only for queues below it",
    Verdict.DRAINING: "{rule} answers {queue}, which the config does not have any more",
    Verdict.OUTSIDE_ROOT: "{rule} answers {queue}, which is not below root",
    Verdict.NOT_FORCED: "{rule} is only for applications that have to be accepted",
    Verdict.BAD_NAME: "{rule} answers {queue}, which is not a valid name of a queue",
    Verdict.PARENT_IS_LEAF: "{rule} answers a queue below {at}, which takes none below it",
}
_WITHOUT_INPUT: Final = {
    RuleKind.TAG: "{rule} finds no such tag",
    RuleKind.USER: "{rule} does not know the user",
}


def answer(step: RuleStep) -> str:
    """
    Return what a placement rule answered, without a period.

    >>> answer(RuleStep(kind=RuleKind.USER, verdict=Verdict.MISSING, queue="root.sue"))
    'the rule user answers root.sue, which does not exist, and it creates no queue'
    """
    words = _ANSWERS[step.verdict]
    if step.verdict is Verdict.NO_INPUT:
        words = _WITHOUT_INPUT.get(step.kind, words)
    text = words.format(rule=rule_name(step), queue=step.queue, at=step.at)
    if step.verdict is Verdict.NO_PARENT and step.parent is not None:
        return f"{text}: {answer(step.parent)}"
    return text


def rule_name(step: RuleStep) -> str:
    """
    Return the words for a rule.

    >>> rule_name(RuleStep(index=1, kind=RuleKind.TAG, value="namespace"))
    'rule 2 (tag namespace)'
    """
    what = f"{step.kind} {step.value}".strip()
    return f"the rule {what}" if step.index is None else f"rule {step.index + 1} ({what})"
