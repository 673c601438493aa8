"""Webhooks and their deliveries as pages show them: states, failures and addresses in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.http import QueryDict

from console.pages.presenters.lists.addresses import with_query
from console.pages.presenters.lists.filters import Segment
from console.webhooks.disclosed import disclosed_address, disclosed_detail
from console.webhooks.models import CHOSEN_KINDS, Attempt, Delivery, Kind, Webhook
from console.webhooks.outcome import Failure

#: What each kind tells, for those who choose.
_MEANINGS: Mapping[Kind, str] = {
    Kind.REJECTED: "No rule or no flavor takes it, so it will not wait either.",
    Kind.CANNOT_RUN: "It waits, and nothing but a change of the config could start it.",
    Kind.PREEMPTED: "It runs and was told to stop for another one.",
    Kind.APPLIED: "A version was applied, or an older one brought back.",
    Kind.REVERTED: "An apply was taken back: not confirmed in time, or before that by hand.",
    Kind.REVERT_FAILED: "An apply should be taken back and cannot be: somebody has to decide.",
}

_STATES: Mapping[str, tuple[str, str]] = {
    Delivery.State.WAITING: ("Waiting", "pending"),
    Delivery.State.DELIVERED: ("Delivered", "finished"),
    Delivery.State.FAILED: ("Given up", "error"),
}

_FAILURES: Mapping[str, str] = {
    Failure.BAD_URL: "The address cannot be used.",
    Failure.NOT_RESOLVED: "The name was not found.",
    Failure.NOT_ALLOWED: "Webhooks may not go there.",
    Failure.NOT_REACHED: "No connection.",
    Failure.TLS: "The certificate or the encryption was not accepted.",
    Failure.TIMED_OUT: "No answer in time.",
    Failure.BROKEN: "The answer broke off or was not HTTP.",
    Failure.REDIRECTED: "It leads elsewhere, and webhooks do not follow: give the address itself.",
    Failure.REFUSED: "The receiver did not accept it.",
    Failure.GONE: "The receiver wants nothing any more.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KindChoice:
    """A kind to choose."""

    kind: str
    title: str
    meaning: str
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookRow:
    """One webhook in a list; *state* is a glyph, *title* says how it goes."""

    webhook: Webhook
    kinds: tuple[str, ...]
    state: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryRow:
    """One delivery in a log."""

    delivery: Delivery
    kind: str
    state: str
    title: str
    #: What came of the last attempt.
    outcome: str
    #: When it is tried next; None when it is not.
    next_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow:
    """One attempt, finished for printing."""

    attempt: Attempt
    verdict: str
    outcome: str
    address: str
    detail: str
    #: Milliseconds until it was over; None while it is not.
    took: int | None


def kind_choices(chosen: Iterable[str]) -> tuple[KindChoice, ...]:
    """Return every kind that can be chosen."""
    marked = set(chosen)
    return tuple(
        KindChoice(
            kind=kind.value,
            title=kind.label,
            meaning=_MEANINGS[kind],
            is_chosen=kind.value in marked,
        )
        for kind in CHOSEN_KINDS
    )


def webhook_row(webhook: Webhook) -> WebhookRow:
    """Return a webhook with how it goes."""
    state, title = "accepting", "No delivery yet"
    if webhook.paused == Webhook.Paused.FAILING:
        state, title = "error", "Paused: it failed for days"
    elif webhook.paused == Webhook.Paused.GONE:
        state, title = "error", "Paused: its receiver is gone"
    elif webhook.paused:
        state, title = "held", "Paused"
    elif webhook.failures:
        times = "once" if webhook.failures == 1 else f"{webhook.failures} times in a row"
        state, title = "warning", f"Failed {times}"
    elif webhook.last_success_at:
        title = "Works"
    return WebhookRow(
        webhook=webhook,
        kinds=tuple(Kind(kind).label for kind in webhook.kinds),
        state=state,
        title=title,
    )


def delivery_row(delivery: Delivery, last: Attempt | None) -> DeliveryRow:
    """Return a delivery with what came of its *last* attempt."""
    title, state = _STATES[delivery.state]
    waits = delivery.state == Delivery.State.WAITING
    under_way = waits and last is not None and last.ended_at is None
    if under_way:
        title = "Being sent"
    return DeliveryRow(
        delivery=delivery,
        kind=Kind(delivery.kind).label,
        state=state,
        title=title,
        outcome=_outcome(last) if last else "Not tried yet.",
        next_at=delivery.due_at if waits and not under_way else None,
    )


def attempt_rows(attempts: Iterable[Attempt]) -> tuple[AttemptRow, ...]:
    """Return attempts, the latest first."""
    return tuple(_attempt_row(each) for each in reversed(list(attempts)))


def state_segments(path: str, query: QueryDict) -> tuple[Segment, ...]:
    """Return the states of deliveries to choose from, all of them first."""
    chosen = query.get("state", "")
    titles = {"": "All"} | {state: title for state, (title, _) in _STATES.items()}
    return tuple(
        Segment(
            state=state,
            title=title,
            count=0,
            url=with_query(path, query, state=state or None, cursor=None),
            current=state == chosen,
        )
        for state, title in titles.items()
    )


def pretty(body: str) -> str:
    """Return a body as people read JSON."""
    return json.dumps(json.loads(body), indent=2, ensure_ascii=False)


def _attempt_row(attempt: Attempt) -> AttemptRow:
    took = None
    if attempt.ended_at is not None:
        took = round((attempt.ended_at - attempt.begun_at).total_seconds() * 1000)
    verdict = "skip" if attempt.ended_at is None else "fail" if attempt.failure else "pass"
    return AttemptRow(
        attempt=attempt,
        verdict=verdict,
        outcome=_outcome(attempt),
        address=disclosed_address(attempt),
        detail=disclosed_detail(attempt),
        took=took,
    )


def _outcome(attempt: Attempt) -> str:
    if attempt.ended_at is None:
        return "Under way, or its worker is gone; it is sent again if nobody answers."
    answered = f"Answered {attempt.status}." if attempt.status else ""
    failure = _FAILURES.get(attempt.failure, "")
    return " ".join(filter(None, (answered, failure)))
