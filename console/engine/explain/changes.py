"""Sentences about changes that would start a workload, and their effect on other workloads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from console.engine.counterfactual.change import Change, ChangeKind, QuotaNumber, Setting, Value
from console.engine.explain.sentences import Sentence
from console.engine.model.amounts import Unlimited
from console.engine.model.workload import PODS
from console.engine.wording.words import amount, cut, quantity

_NUMBERS = {
    QuotaNumber.NOMINAL: "nominal quota",
    QuotaNumber.BORROWING_LIMIT: "borrowing limit",
    QuotaNumber.LENDING_LIMIT: "lending limit",
    QuotaNumber.LIMIT: "limit",
    QuotaNumber.QUOTA: "quota",
    QuotaNumber.MAXIMUM: "maximum",
    QuotaNumber.GUARANTEE: "guarantee",
    QuotaNumber.USER_LIMIT: "limit",
    QuotaNumber.GROUP_LIMIT: "limit",
}
_SETTINGS = {
    Setting.WITHIN_QUEUE: "preemption within {queue}",
    Setting.RECLAIM_WITHIN_COHORT: "what {queue} may reclaim within its cohort",
    Setting.BORROW_WITHIN_COHORT: "what {queue} may preempt within its cohort while it borrows",
    Setting.MAX_PRIORITY_THRESHOLD: "the priority up to which {queue} may preempt while it borrows",
    Setting.STRATEGY: "the queueing strategy of {queue}",
    Setting.WHEN_CAN_BORROW: "how {queue} treats a flavor in which it could borrow",
    Setting.WHEN_CAN_PREEMPT: "how {queue} treats a flavor in which it could preempt",
    Setting.PREFERENCE: "the flavor preference of {queue}",
    Setting.STOP: "the stop policy of {queue}",
}
#: Changes that may affect other workloads: their sentence says so if they do not.
_AT_OTHERS_COST = frozenset({ChangeKind.PRIORITY, ChangeKind.QUOTA, ChangeKind.POLICY})


#: Changes after which the workload may be routed to another queue.
_MAY_LEAD_ELSEWHERE = frozenset({ChangeKind.LABEL, ChangeKind.PRIORITY})


def change_sentence(change: Change, names: Mapping[str, str] | None = None) -> Sentence:
    """
    Return the sentence of a change and its effect; *names* has display names of workloads by id.

    >>> change_sentence(Change(kind=ChangeKind.ASK_LESS, subject="gpu", from_=32000, to=24000)).text
    'Request 24 GPUs instead of 32: it would start now.'
    """
    words = _Words(names or {})
    return Sentence(
        text=words.sentence(change),
        origin=change.origin,
        workloads=(*change.workloads, *change.who_loses, *change.who_waits),
    )


def changed_part(change: Change) -> str:
    """
    Return the changed part of a request that is submitted again with *change*.

    >>> changed_part(Change(kind=ChangeKind.ASK_LESS, subject="gpu", from_=8000, to=4000))
    'with 4 GPUs'
    >>> changed_part(Change(kind=ChangeKind.LABEL, subject="team", from_="ml"))
    'without the label team'
    """
    of = f" in pod set {change.pod_set}" if change.pod_set is not None else ""
    match change.kind:
        case ChangeKind.ASK_LESS if change.subject == PODS:
            return f"with {change.to} {'pod' if change.to == 1 else 'pods'}{of}"
        case ChangeKind.ASK_LESS:
            each = f" for each pod{of}" if of else ""
            return f"with {amount(_amount(change.to), change.subject)}{each}"
        case ChangeKind.LABEL if change.to is None:
            return f"without the label {change.subject}"
        case ChangeKind.LABEL:
            return f"with {change.subject}={change.to}"
        case ChangeKind.PRIORITY:
            return "without a priority" if change.to is None else f"with priority {change.to}"
    return ""


def in_vain_sentence(kinds: Iterable[ChangeKind]) -> str:
    """
    Return the sentence that the *kinds* of change were tried and do not help.

    >>> in_vain_sentence([ChangeKind.LABEL, ChangeKind.PRIORITY])
    'Does not help: another label, a higher priority.'
    """
    return f"Does not help: {', '.join(_IN_VAIN[kind] for kind in kinds)}."


def cut_sentence(tried: int, untried: int) -> str:
    """
    Return the sentence about the number of candidates that a search tried before it stopped.

    >>> cut_sentence(12, 28)
    '12 of 40 candidates tried; the effect of the others is unknown.'
    """
    total = tried + untried
    noun = "candidate" if total == 1 else "candidates"
    return f"{tried} of {total} {noun} tried; the effect of the others is unknown."


_IN_VAIN = {
    ChangeKind.WAIT: "waiting for preempted workloads to stop",
    ChangeKind.ASK_LESS: "a smaller request for one resource",
    ChangeKind.LABEL: "another label",
    ChangeKind.PRIORITY: "a higher priority",
    ChangeKind.FILTER: "a filter or a condition less",
    ChangeKind.PREFERENCE: "a preference less",
    ChangeKind.RESUME: "resuming the queue",
    ChangeKind.QUOTA: "one larger quota value",
    ChangeKind.POLICY: "one other setting of the queue",
    ChangeKind.CLUSTER_LABEL: "another label of one cluster",
    ChangeKind.FINISH: "the end of a few running workloads",
}


class _Words:
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def sentence(self, change: Change) -> str:
        match change.kind:
            case ChangeKind.WAIT if not change.workloads:
                return "No change is needed: it starts at one of its next evaluations."
            case ChangeKind.WAIT:
                whom = self._named(change.workloads)
                return (
                    f"No change is needed: it starts once {whom} {_have(change.workloads)} stopped."
                )
            case ChangeKind.FINISH:
                whom = self._named(change.workloads)
                them = "it" if len(change.workloads) == 1 else "them"
                return f"Wait for {whom} to end, or finish {them}: it would then start."
            case ChangeKind.RESUBMIT:
                return f"Submit it again: {self._effect(change)}."
            case ChangeKind.RESUME:
                return f"Resume {change.queue}: {self._effect(change)}."
        return f"{_ACTIONS[change.kind](change)}: {self._effect(change)}."

    def _effect(self, change: Change) -> str:
        if change.is_later:
            return "it could then start as soon as there is room"
        when = "now"
        if change.who_loses:
            losers = self._named(change.who_loses)
            when = f"once {losers} {_have(change.who_loses)} been preempted"
        start = f"it would start {when}"
        if change.kind in _MAY_LEAD_ELSEWHERE and change.queue is not None:
            start = f"it would be routed to {change.queue} and start {when}"
        if change.who_waits:
            return f"{start}; {self._named(change.who_waits)} would wait instead"
        if change.who_loses or change.kind not in _AT_OTHERS_COST:
            return start
        return f"{start}; no other workload is affected"

    def _named(self, workloads: tuple[str, ...]) -> str:
        return cut(self._names.get(each, each) for each in workloads)


def _ask_less(change: Change) -> str:
    pod_set = change.pod_set
    if change.subject == "pods":
        of = f" in pod set {pod_set}" if pod_set is not None else ""
        pods = "pod" if change.to == 1 else "pods"
        return f"Request {change.to} {pods} instead of {change.from_}{of}"
    of = f" for each pod of pod set {pod_set}" if pod_set is not None else ""
    asked, now = _amount(change.to), _amount(change.from_)
    less, instead = amount(asked, change.subject), quantity(now, change.subject)
    return f"Request {less} instead of {instead}{of}"


def _label(change: Change) -> str:
    if change.to is None:
        return f"Remove the label {change.subject}={change.from_}"
    if change.from_ is None:
        return f"Add the label {change.subject}={change.to}"
    return f"Set the label {change.subject} to {change.to} instead of {change.from_}"


def _filter(change: Change) -> str:
    if not change.subject:
        return f"Remove all filters{_of_template(change)}"
    if change.from_ is None:
        return f"Remove the filter {change.subject}{_of_template(change)}"
    return (
        f"Remove the condition {change.from_} from the filter {change.subject}"
        f"{_of_template(change)}"
    )


def _preference(change: Change) -> str:
    return f"Remove the preference {change.subject}{_of_template(change)}"


def _of_template(change: Change) -> str:
    return f" of the template {change.template}" if change.template is not None else ""


def _cluster_label(change: Change) -> str:
    where = f"cluster {change.cluster}"
    if change.to is None:
        return f"Remove the label {change.subject}={change.from_} of {where}"
    if change.from_ is None:
        return f"Add the label {change.subject}={change.to} to {where}"
    return f"Set the label {change.subject} of {where} to {change.to} instead of {change.from_}"


def _priority(change: Change) -> str:
    instead = f" instead of {change.from_}" if change.from_ is not None else ""
    return f"Request priority {change.to}{instead}"


def _quota(change: Change) -> str:
    _, _, resource = change.subject.partition("/")
    number = f"{_NUMBERS[change.number]} of {change.subject}{_of_holder(change)}"
    before, after = _amount(change.from_), _amount(change.to)
    verb = "Raise" if after > before else "Lower"
    if isinstance(after, Unlimited):
        return f"Remove the {number} in {change.queue}, now {quantity(before, resource)}"
    return (
        f"{verb} the {number} in {change.queue} from {quantity(before, resource)} to "
        f"{quantity(after, resource)}"
    )


def _of_holder(change: Change) -> str:
    if not change.holder:
        return ""
    noun = "user" if change.number is QuotaNumber.USER_LIMIT else "group"
    return f" for every other {noun}" if change.holder == "*" else f" for {noun} {change.holder}"


def _policy(change: Change) -> str:
    what = _SETTINGS[Setting(change.subject)].format(queue=change.queue)
    return f"Change {what} from {_code(change.from_)} to {_code(change.to)}"


_ACTIONS = {
    ChangeKind.ASK_LESS: _ask_less,
    ChangeKind.LABEL: _label,
    ChangeKind.PRIORITY: _priority,
    ChangeKind.FILTER: _filter,
    ChangeKind.PREFERENCE: _preference,
    ChangeKind.CLUSTER_LABEL: _cluster_label,
    ChangeKind.QUOTA: _quota,
    ChangeKind.POLICY: _policy,
}


def _amount(value: Value) -> int | Unlimited:
    assert isinstance(value, int | Unlimited)
    return value


def _code(value: Value) -> str:
    """Return the value of a setting in words."""
    if value is None:
        return "no bound"
    return value.replace("_", " ") if isinstance(value, str) else str(value)


def _have(workloads: tuple[str, ...]) -> str:
    return "has" if len(workloads) == 1 else "have"
