"""Addresses of the submit form that repeat a workload, optionally with one advised change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from console.engine.counterfactual.change import Change, ChangeKind, Value
from console.engine.explain.changes import changed_part
from console.errors import BadRequest, FieldError
from console.orgs.models import Organization
from console.reading import is_storable
from console.workloads.changed_requests import CHANGED_REQUESTS, with_change
from console.workloads.models import Workload
from console.workloads.queries import get_workload
from console.workloads.resubmission import submission_of
from console.workloads.submissions import Submission

#: Maximum number of characters of a value in an address.
_LONGEST: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """A workload to submit again."""

    workload: Workload
    submission: Submission
    #: The change of the request in words; empty without one.
    change: str = ""


def repeat_address(org: Organization, uid: str, change: Change | None = None) -> str:
    """Return the address of the form with the request of the workload *uid*, and *change* made."""
    query = {"repeat": uid}
    if change is not None and change.kind in CHANGED_REQUESTS:
        query |= {"change": change.kind.value, "of": change.subject}
        query |= {"to": str(change.to)} if change.to is not None else {}
        query |= {"pod_set": change.pod_set} if change.pod_set is not None else {}
    return f"{reverse('pages:workload-new', args=[org.slug])}?{urlencode(query)}"


def read_repeated(query: QueryDict, org: Organization) -> Repeated | None:
    """
    Return the workload that an address of `repeat_address` names; None if it names none.

    Raises NotFound, and BadRequest for a change that is none of its request.
    """
    uid = query.get("repeat")
    if uid is None:
        return None
    if not all(
        is_storable(text) and len(text) <= _LONGEST for text in map(str, query.dict().values())
    ):
        raise _wrong()
    workload = get_workload(org, uid)
    submission = submission_of(workload)
    if "change" not in query:
        return Repeated(workload=workload, submission=submission)
    change = _change(query)
    changed = with_change(submission, change)
    if changed is None:
        raise _wrong()
    return Repeated(workload=workload, submission=changed, change=changed_part(change))


def _change(query: QueryDict) -> Change:
    kind, to = query["change"], query.get("to")
    if kind not in CHANGED_REQUESTS:
        raise _wrong()
    value: Value = to
    if to is not None and kind in (ChangeKind.ASK_LESS, ChangeKind.PRIORITY):
        if not to.removeprefix("-").isdecimal() or not to.isascii() or len(to) > len(str(2**63)):
            raise _wrong()
        value = int(to)
    return Change(
        kind=ChangeKind(kind), subject=query.get("of", ""), to=value, pod_set=query.get("pod_set")
    )


def _wrong() -> BadRequest:
    message = "The address names no change of this workload; open the form from its page."
    return BadRequest([FieldError("change", "invalid_change", message)], message)
