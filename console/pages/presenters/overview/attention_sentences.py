"""Sentences for attention items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from console.engine.routing.reasons import NOT_ROUTED
from console.engine.wording.reasons import reason_title
from console.engine.wording.words import lower_first, plural, sentence_case
from console.overview.items import Item, Kind

_WORKER: Final = {
    "broker_away": "The broker does not answer: admission is stopped",
    "worker_silent": "No worker responds: admission is stopped",
    "intake_late": "The worker is behind: requests wait to be processed",
}
_WORKER_ADVICE: Final = {
    "broker_away": "Start the broker, or correct REDIS_URL. Submitted workloads are kept.",
    "worker_silent": "Start a worker and the beat process. Submitted workloads are kept.",
    "intake_late": "A large change may be in progress. If this persists, add workers.",
}


def sentence_of(item: Item) -> str:
    """Return the sentence about *item*, without a full stop."""
    return sentence_case(_SENTENCES[item.kind](item))


def advice_of(item: Item) -> str:
    """Return advice for problems that no page can solve; empty for others."""
    return _WORKER_ADVICE[item.reason] if item.kind is Kind.WORKER_LATE else ""


def _rejected(item: Item) -> str:
    return f"{_counted(item)} rejected in the last hour: {_reason(item)}"


def _cannot_run(item: Item) -> str:
    if item.reason in NOT_ROUTED:
        are = "is" if item.count == 1 else "are"
        return f"{_counted(item)} {are} not routed: {_reason(item)}"
    if item.reason != "exceeds_max_quota":
        return f"{_counted(item)} cannot run: {_reason(item)}"
    is_one = item.count == 1
    whose = "its request exceeds" if is_one else "their requests exceed"
    return f"{_counted(item)} can never run under this config: {whose} the limit of the queue"


def _starved(item: Item) -> str:
    if item.count == 1:
        return f"Queue {item.subjects[0].name} waits for its quota, which other queues use"
    return f"{_named(item, 'queue')} wait for their quota, which other queues use"


def _full(item: Item) -> str:
    if item.count == 1:
        name = item.subjects[0].name
        return f"Queue {name} is at its limit, with workloads pending for over 15 minutes"
    return f"{_named(item, 'queue')} are at their limit, with workloads pending for over 15 minutes"


def _held(item: Item) -> str:
    if item.count == 1:
        (queue,) = item.subjects
        return f"Queue {queue.name} is held by {queue.actor}: {queue.note}"
    return f"{_named(item, 'queue')} are held"


def _draining(item: Item) -> str:
    if item.count == 1:
        name = item.subjects[0].name
        return f"Queue {name} is not in the active config and still has workloads"
    return f"{_named(item, 'queue')} are not in the active config and still have workloads"


def _unconfirmed(item: Item) -> str:
    (version,) = item.subjects
    return f"{version.name} needs confirmation, or it is rolled back"


def _revert_failed(item: Item) -> str:
    (version,) = item.subjects
    return f"{version.name} was not confirmed in time and could not be rolled back"


def _away(item: Item) -> str:
    more = "" if item.is_exact else "At least "
    one = "does not report or has an error, and workloads run there"
    many = "do not report or have an error, and workloads run there"
    return f"{more}{_named(item, 'cluster')} {one if item.count == 1 else many}"


def _broken(item: Item) -> str:
    are = "is" if item.count == 1 else "are"
    return f"{_named(item, 'expectation')} {are} not met by the active config"


def _webhook(item: Item) -> str:
    are = "is" if item.count == 1 else "are"
    return f"{_named(item, 'webhook')} {are} failing"


def _token(item: Item) -> str:
    more = "" if item.is_exact else "At least "
    word = "expires" if item.count == 1 else "expire"
    return f"{more}{_named(item, 'API token')} {word} within a week"


def _behind(item: Item) -> str:
    one = "is based on a version that is no longer active"
    many = "are based on versions that are no longer active"
    return f"{plural(item.count, 'draft')} {one if item.count == 1 else many}"


def _waiting(item: Item) -> str:
    waits = "waits" if item.count == 1 else "wait"
    return f"{plural(item.count, 'draft')} {waits} for review and apply"


def _change_failed(item: Item) -> str:
    if item.count == 1:
        (change,) = item.subjects
        return f"a scheduled change was not made: {change.note.removesuffix('.')}"
    return f"{plural(item.count, 'scheduled change')} were not made"


def _change_scheduled(item: Item) -> str:
    if item.count == 1:
        (change,) = item.subjects
        return f"a change is scheduled: {change.name or f'apply {change.number}'}"
    return f"{plural(item.count, 'change')} are scheduled"


def _idle(item: Item) -> str:
    has = "has" if item.count == 1 else "have"
    return f"{plural(item.count, 'rule')} {has} matched no workload in 30 days"


_SENTENCES: Final[dict[Kind, Callable[[Item], str]]] = {
    Kind.WORKER_LATE: lambda item: _WORKER[item.reason],
    Kind.REVERT_FAILED: _revert_failed,
    Kind.VERSION_UNCONFIRMED: _unconfirmed,
    Kind.CHANGE_FAILED: _change_failed,
    Kind.REJECTED: _rejected,
    Kind.CANNOT_RUN: _cannot_run,
    Kind.CLUSTER_AWAY: _away,
    Kind.QUEUE_STARVED: _starved,
    Kind.QUEUE_AT_CEILING: _full,
    Kind.EXPECTATIONS_BROKEN: _broken,
    Kind.WEBHOOK_FAILING: _webhook,
    Kind.QUEUE_HELD: _held,
    Kind.QUEUE_DRAINING: _draining,
    Kind.TOKEN_EXPIRES: _token,
    Kind.DRAFT_BEHIND: _behind,
    Kind.DRAFT_WAITING: _waiting,
    Kind.CHANGE_SCHEDULED: _change_scheduled,
    Kind.RULES_IDLE: _idle,
}


def _counted(item: Item) -> str:
    return f"{'' if item.is_exact else 'at least '}{plural(item.count, 'workload')}"


def _named(item: Item, noun: str) -> str:
    """Return the count and the first names of the subjects."""
    names = [each.name for each in item.subjects[:3]]
    more = ", …" if item.count > len(names) else ""
    return f"{plural(item.count, noun)} ({', '.join(names)}{more})"


def _reason(item: Item) -> str:
    return lower_first(reason_title(item.reason))
