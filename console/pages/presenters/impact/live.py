"""The impact of a config on running and pending workloads: groups by outcome, and overuse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.http import QueryDict

from console.engine.impact import Exposure, LiveOutcome, Loss
from console.engine.model.amounts import decode_amount
from console.engine.wording import reasons
from console.engine.wording.words import listed, quantity
from console.pages.presenters.impact.uncertain import plural_count
from console.pages.presenters.lists.list_pages import ListPages, pages_of
from console.pages.templatetags.ui import count

#: Outcome -> (title, explanation); outcomes with losses come first.
OUTCOMES: Final = {
    LiveOutcome.STOPPED: ("Running workloads that would stop", "They must stop at once."),
    LiveOutcome.REJECTED: (
        "Pending workloads that would be rejected",
        "They leave their queue permanently and have to be submitted again.",
    ),
    LiveOutcome.NEVER_FITS: (
        "Pending workloads that could never start",
        "They keep waiting: their requests exceed the limit of the queue.",
    ),
    LiveOutcome.LOSES_FLAVOR: (
        "Running workloads on a lost flavor or cluster",
        "They keep running; new workloads like them would not be admitted there.",
    ),
    LiveOutcome.OVER_NOMINAL: (
        "Running workloads over quota",
        "They keep running above the nominal quota: lowest priority first, then latest start.",
    ),
    LiveOutcome.PREEMPTIBLE: (
        "Running workloads that become preemptible",
        "They keep running; later workloads may preempt them.",
    ),
    LiveOutcome.MOVED: (
        "Pending workloads that change queue",
        "They keep waiting, in another queue or in none.",
    ),
    LiveOutcome.STARTS: ("Pending workloads that would start at once", ""),
    LiveOutcome.STARTS_SOON: (
        "Pending workloads that would start soon",
        "They start when the workloads preempted for them have stopped.",
    ),
}

_LOSSES: dict[str, str] = {
    Loss.QUEUE: "its queue is removed",
    Loss.FLAVOR: "its queue no longer has the flavor",
    Loss.ACCESS: "the flavor no longer accepts it",
    Loss.PLACEMENT: "it would not be placed there again",
    Exposure.IN_QUEUE: "by workloads of its queue",
    Exposure.BY_COHORT: "by queues of its cohort that reclaim quota",
}


#: Name in addresses of the list of queues that would be over quota.
_OVER = "over"


@dataclass(frozen=True, slots=True, kw_only=True)
class AffectedLine:
    """One affected workload."""

    id: str
    name: str
    #: Its queue, and its new queue if that is another one.
    queue: str
    to: str
    why: str
    #: The preemptor; without an id, the reader may not see it.
    preemptor_id: str
    preemptor_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupView:
    """Workloads with the same outcome."""

    code: str
    title: str
    text: str
    lines: Sequence[AffectedLine]
    pages: ListPages


@dataclass(frozen=True, slots=True, kw_only=True)
class OverLine:
    """A flavor-resource of which a queue would use more than its nominal quota."""

    queue: str
    place: str
    used: str
    before: str
    after: str
    #: Used amount minus the new nominal quota.
    over: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveView:
    """Data of the page about live workloads."""

    corpus: str
    groups: Sequence[GroupView]
    over: Sequence[OverLine]
    over_pages: ListPages


def live_view(result: Mapping[str, Any], path: str, query: QueryDict) -> LiveView:
    """
    Return the view of a stored impact *result* at *path*.

    In *query*, ``open`` is the name of one list, and ``after`` the number of its entries to skip.
    """
    live = result["live"]
    found = {each["outcome"]: each for each in live["outcomes"]}
    over = pages_of(_OVER, len(live["over"]), live["over_count"], path, query)
    return LiveView(
        corpus=f"{plural_count(live['running'], 'workload')} running, "
        f"{count(live['pending'])} pending",
        groups=[
            _group(outcome, found[outcome.value], path, query)
            for outcome in OUTCOMES
            if outcome.value in found
        ],
        over=[_over(each) for each in live["over"][over.first : over.end]],
        over_pages=over,
    )


def _group(
    outcome: LiveOutcome, group: Mapping[str, Any], path: str, query: QueryDict
) -> GroupView:
    title, text = OUTCOMES[outcome]
    pages = pages_of(outcome.value, len(group["first"]), group["count"], path, query)
    return GroupView(
        code=outcome.value,
        title=title,
        text=text,
        lines=[_line(each) for each in group["first"][pages.first : pages.end]],
        pages=pages,
    )


def _line(each: Mapping[str, Any]) -> AffectedLine:
    why = [_LOSSES[loss] for loss in each["losses"]]
    if each["reason"] is not None:
        why.append(reasons.reason_title(each["reason"]))
    preemptor = each["preemptor"] or {"id": "", "name": ""}
    return AffectedLine(
        id=each["id"],
        name=each["name"],
        queue=each["queue"] or "",
        to=(each["to"] or "no queue") if each["to"] != each["queue"] else "",
        why=listed(why),
        preemptor_id=preemptor["id"] or "",
        preemptor_name=preemptor["name"],
    )


def _over(each: Mapping[str, Any]) -> OverLine:
    resource = each["resource"]
    after = decode_amount(each["nominal_after"])
    assert isinstance(after, int), "use cannot exceed an unlimited quota"
    return OverLine(
        queue=each["queue"],
        place=f"{each['flavor']}/{resource}",
        used=quantity(each["used"], resource),
        before=quantity(decode_amount(each["nominal_before"]), resource),
        after=quantity(after, resource),
        over=quantity(each["used"] - after, resource),
    )
