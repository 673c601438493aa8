"""Placement rules and their answers in words."""

from __future__ import annotations

from typing import Final

from console.engine.disciplines.hierarchy.placement import Verdict
from console.engine.disciplines.hierarchy.spec import PlacementRule, RuleKind
from console.engine.disciplines.hierarchy.trace import RuleStep
from console.engine.wording.words import cut

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


def rule_sentence(rule: PlacementRule) -> str:
    """
    Return which queue a placement rule answers, without a period.

    >>> space = PlacementRule(kind=RuleKind.FIXED, value="root.spaces")
    >>> rule_sentence(PlacementRule(kind=RuleKind.TAG, value="namespace", parent=space))
    'the queue named like the tag namespace, below root.spaces'
    """
    match rule.kind:
        case RuleKind.PROVIDED:
            text = "the queue that the submission names"
        case RuleKind.USER:
            text = "the queue named like the user"
        case RuleKind.TAG:
            text = f"the queue named like the tag {rule.value}"
        case RuleKind.FIXED:
            text = rule.value
        case RuleKind.RECOVERY:
            text = "the recovery queue"
    return text if rule.parent is None else f"{text}, below {rule_sentence(rule.parent)}"


def filter_sentence(rule: PlacementRule) -> str:
    """
    Return for whom a placement rule is, as a sentence; empty: for all users.

    >>> from console.engine.disciplines.hierarchy.spec import Filter
    >>> users = Filter(is_deny=True, stated_users=("^bot-",))
    >>> filter_sentence(PlacementRule(kind=RuleKind.USER, filter=users))
    'Not for users ^bot-.'
    """
    stated = rule.filter
    named = [
        f"{noun} {cut(names)}"
        for noun, names in (("users", stated.stated_users), ("groups", stated.stated_groups))
        if names
    ]
    if not named:
        return "For no user." if stated.is_deny else ""
    return f"{'Not for' if stated.is_deny else 'Only for'} {' and '.join(named)}."
