"""Requests with one advised change, as a submitter can make it by submitting the workload again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from console.engine.counterfactual.change import Change, ChangeKind
from console.engine.model.workload import PODS, PodSet
from console.workloads.submissions import RESERVED, Submission

#: Changes that `with_change` can make.
CHANGED_REQUESTS: Final = frozenset(
    {ChangeKind.RESUBMIT, ChangeKind.ASK_LESS, ChangeKind.LABEL, ChangeKind.PRIORITY}
)


def with_change(submission: Submission, change: Change) -> Submission | None:
    """
    Return *submission* with *change*; None if it is no change of this request.

    >>> from console.workloads.submissions import Submission
    >>> less = Change(kind=ChangeKind.ASK_LESS, subject="gpu", from_=8000, to=4000)
    >>> with_change(Submission(name="train", requests={"gpu": 8000}), less).requests
    {'gpu': 4000}
    """
    match change.kind:
        case ChangeKind.RESUBMIT:
            return submission
        case ChangeKind.PRIORITY if change.to is None or isinstance(change.to, int):
            return replace(submission, priority=change.to)
        case ChangeKind.LABEL if change.to is None or isinstance(change.to, str):
            return _with_label(submission, change.subject, change.to)
        case ChangeKind.ASK_LESS if isinstance(change.to, int):
            return _with_less(submission, change.subject, change.to, change.pod_set)
    return None


def _with_label(submission: Submission, key: str, value: str | None) -> Submission | None:
    field = RESERVED.get(key)
    if field == "type":
        # Every workload has a type.
        return replace(submission, type=value) if value is not None else None
    if field is not None:
        fields: Mapping[str, Any] = {field: value}
        return replace(submission, **fields)
    others = {name: text for name, text in submission.tags.items() if name != key}
    return replace(submission, tags=others if value is None else {**others, key: value})


def _with_less(
    submission: Submission, subject: str, amount: int, pod_set: str | None
) -> Submission | None:
    if not submission.pod_sets:
        if subject not in submission.requests or pod_set not in (None, PodSet().name):
            return None
        return replace(submission, requests={**submission.requests, subject: amount})
    found = [
        number
        for number, each in enumerate(submission.pod_sets)
        if pod_set in (None, each.name) and (subject == PODS or subject in each.requests)
    ]
    if len(found) != 1:
        return None
    (place,) = found
    changed = _less_of(submission.pod_sets[place], subject, amount)
    before, after = submission.pod_sets[:place], submission.pod_sets[place + 1 :]
    return replace(submission, pod_sets=(*before, changed, *after))


def _less_of(pod_set: PodSet, subject: str, amount: int) -> PodSet:
    if subject != PODS:
        return replace(pod_set, requests={**pod_set.requests, subject: amount})
    least = None if pod_set.min_count is None else min(pod_set.min_count, amount)
    return replace(pod_set, count=amount, min_count=least)
