"""Short texts for reason codes, and sentences about events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from console.engine.model.common_reasons import (
    DEACTIVATED_WHILE_RUNNING,
    DRAINED,
    RUN_TIME_EXCEEDED,
)
from console.engine.model.reasons import ReasonClass, Shortage, reason_of
from console.engine.wording.clusters import cluster_event
from console.engine.wording.expectations import expectation_event
from console.engine.wording.holds import hold_event, minute_in_utc
from console.engine.wording.pods import pod_event
from console.engine.wording.words import (
    amount,
    by_flavor,
    listed,
    lower_first,
    places,
    plural,
    short_name,
)


def reason_title(reason: str) -> str:
    """
    Return the short label of a reason code.

    >>> reason_title("exceeds_max_quota")
    'Can never run under this config'
    """
    return reason_of(reason).label


def reason_message(
    reason: str, missing: Mapping[str, int] | None = None, *, is_short: bool = False
) -> str:
    """
    Return a short text for a reason code, with the *missing* amounts if it waits for quota.

    *missing* has the keys "flavor/resource" and amounts in thousandths. Resources have no domain
    if the text *is_short*, as in other columns of a list.

    >>> reason_message("waiting_for_quota", {"spot/gpu": 8000, "spot/cpu": 500})
    'Waiting for quota: 8 GPUs and 0.5 CPU short on spot'
    >>> reason_message("waiting_for_quota", {"spot/nvidia.com/gpu": 8000}, is_short=True)
    'Waiting for quota: 8 GPUs short on spot'
    """
    title = reason_title(reason)
    if reason_of(reason).shortage is not Shortage.NOW or not missing:
        return title
    name = short_name if is_short else str
    parts = [
        f"{listed(amount(lacking, name(of)) for of, lacking in short.items())} short on {flavor}"
        for flavor, short in by_flavor(missing).items()
    ]
    return f"{title}: {', '.join(parts)}"


def reason_class(reason: str) -> ReasonClass:
    """Return the class of a reason code."""
    return reason_of(reason).reason_class


_EVENTS = {
    "REQUEST_SUBMITTED": "{name} was submitted.",
    "REQUEST_QUEUED": "{name} is queued: {reason}.",
    "REQUEST_ADMITTED": "{name} was admitted{on}.",
    "REQUEST_REJECTED": "{name} was rejected: {reason}.",
    "REQUEST_PREEMPTED": "{name} was preempted for {preemptor}.",
    "REQUEST_REQUEUED": "{name} is queued again: {reason}.",
    "REQUEST_RELEASED": "{name} stopped and released its quota.",
    "REQUEST_FULFILLED": "{name} finished.",
    "REQUEST_ABORTED": "{name} was withdrawn.",
    "REQUEST_FAILED": "{name} failed.",
    "REQUEST_FALLBACK": "{name} fell back to another flavor.",
    "DEACTIVATED": "{name} was deactivated: it gets no turn until it is activated.",
    "ACTIVATED": "{name} was activated.",
    "PRIORITY_CHANGED": "The priority of {name} was changed{priority}.",
    "QUOTA_BORROWED": "{name} borrows {borrowed} from {cohort}.",
    "QUOTA_RECLAIMED": "{name} reclaims {borrowed} in {cohort}{stops}.",
}
_RESUBMITTED = "{name} was submitted again; it repeats the workload {resubmitted}."
#: Events of workloads that stop for no other workload, by reason.
_STOPPED = {
    DRAINED: "{name} was preempted: its queue is being drained.",
    DEACTIVATED_WHILE_RUNNING: "{name} was deactivated, and has to stop.",
    RUN_TIME_EXCEEDED: "{name} has used up its maximum run time, and has to stop.",
}


def event_sentence(
    kind: str, data: Mapping[str, Any], time_text: Callable[[datetime], str] = minute_in_utc
) -> str:
    """
    Return the sentence about an event, from its type and its stored data.

    *time_text* returns the text of a time in the sentence.

    >>> event_sentence("REQUEST_ABORTED", {"name": "train"})
    'train was withdrawn.'
    >>> event_sentence(
    ...     "QUOTA_BORROWED", {"name": "train", "borrowed": {"spot/gpu": 4000}, "cohort": "ml"}
    ... )
    'train borrows 4 GPUs on spot from cohort ml.'
    """
    if kind == "CONFIG_UPDATED":
        return _config_updated(data)
    if kind.startswith("EXPECTATION_"):
        return expectation_event(data)
    if kind.startswith("QUEUE_"):
        return hold_event(kind, data, time_text)
    if kind.startswith("CLUSTER_"):
        return cluster_event(kind, data)
    if kind.startswith("PODS_"):
        return pod_event(kind, data)
    reason = data.get("reason")
    words = _EVENTS[kind]
    grant = reason_of(reason).preemption_grant if reason else None
    if kind == "REQUEST_PREEMPTED" and reason in _STOPPED:
        words = _STOPPED[reason]
    elif kind == "REQUEST_PREEMPTED" and grant is not None:
        words = grant.preempted_event
    elif kind == "QUOTA_RECLAIMED" and grant is not None and grant.reclaim_event is not None:
        words = grant.reclaim_event
    if kind == "REQUEST_SUBMITTED" and data.get("resubmitted"):
        words = _RESUBMITTED
    flavors = sorted(set(data.get("flavors", {}).values()))
    return words.format(
        name=data.get("name", "A workload"),
        resubmitted=data.get("resubmitted", ""),
        reason=lower_first(reason_title(reason)) if reason else "unknown reason",
        on=f" on {listed(flavors)}" if flavors else "",
        preemptor=data.get("preemptor_name", "another workload"),
        queue=data.get("preemptor_queue") or "another queue",
        borrowed=places(data["borrowed"]) if data.get("borrowed") else "quota",
        cohort=f"cohort {data['cohort']}" if data.get("cohort") else "its cohort",
        stops=_stops(len(data.get("victims", ()))),
        priority=_change_of_priority(data) if kind == "PRIORITY_CHANGED" else "",
    )


def _change_of_priority(data: Mapping[str, Any]) -> str:
    former = data.get("former_priority")
    return f"{'' if former is None else f' from {former}'} to {data['priority']}"


def _stops(count: int) -> str:
    verb = "is" if count == 1 else "are"
    return f": {plural(count, 'workload')} {verb} preempted" if count else ""


def _config_updated(data: Mapping[str, Any]) -> str:
    version = f"Config version {data['version']}"
    message = f": {data['message']}" if data.get("message") else ""
    before, back_to = data.get("from"), data.get("back_to")
    match data.get("kind"):
        case "confirm":
            return f"{version} was confirmed"
        case "merge":
            return f"A draft based on version {before} was merged with version {data['version']}"
        case "rebase":
            onto = f"was rebased onto version {data['version']} with its text unchanged"
            return f"A draft based on version {before} {onto}, without a merge"
        case "revert_failed":
            return (
                f"{version} was not confirmed in time, but the text of version {back_to} has "
                "errors under the current checks: nothing was reverted, and an owner has to decide"
            )
        case "schedule_failed" | "schedule_superseded":
            return f"{_scheduled_change(data)} was not made: {data['problem']}"
        case "rollback":
            text = f" to version {back_to}" if back_to else ""
            return f"{version} was applied, rolling back from version {before}{text}{message}"
    if data.get("via") == "client":
        under = f"on top of version {before}" if before else "as the first"
        return f"{version} was applied by a client, {under}{message}"
    if data.get("via") == "schedule":
        if data.get("ends"):
            return f"{version} ended the temporary change of version {data['ends']}"
        return f"{version} was applied by scheduled change {data['scheduled']}{message}"
    soon = ", to be confirmed in time" if data.get("reverts_at") else ""
    if data.get("until"):
        soon = f" until {data['until'][:16].replace('T', ' ')} UTC"
    return f"{version} was applied{soon}{message}"


def _scheduled_change(data: Mapping[str, Any]) -> str:
    if data.get("ends"):
        return f"The end of the temporary change of version {data['ends']}"
    return f"Scheduled apply {data['scheduled']}"
