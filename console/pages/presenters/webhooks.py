"""Rows of webhooks, deliveries and attempts, with texts for states and failures."""

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

#: Kind of message -> description.
_MEANINGS: Mapping[Kind, str] = {
    Kind.ADMITTED: "The workload may run.",
    Kind.REJECTED: "No rule or flavor accepts the workload, so it does not wait.",
    Kind.CANNOT_RUN: "The workload waits, and only another config or other nodes can start it.",
    Kind.PREEMPTED: "The workload was running and has to stop for another workload.",
    Kind.APPLIED: "A version was applied or rolled back to.",
    Kind.REVERTED: "An apply was rolled back: not confirmed in time, or before that by hand.",
    Kind.CHANGE_FAILED: "A scheduled apply, or the end of a temporary change, was not made.",
    Kind.REVIEW_REQUESTED: "A text was submitted for approval by another member.",
    Kind.APPROVED: "A member approved a submitted text.",
    Kind.CHANGES_REQUESTED: "A member requested changes in a submitted text.",
    Kind.REVERT_FAILED: "An apply could not be rolled back: an owner has to resolve this.",
}

_STATES: Mapping[str, tuple[str, str]] = {
    Delivery.State.WAITING: ("Waiting", "pending"),
    Delivery.State.DELIVERED: ("Delivered", "finished"),
    Delivery.State.FAILED: ("Failed", "error"),
}

_FAILURES: Mapping[str, str] = {
    Failure.BAD_URL: "The address is not valid.",
    Failure.NOT_RESOLVED: "The host name was not found.",
    Failure.NOT_ALLOWED: "The address is not allowed.",
    Failure.NOT_REACHED: "The connection failed.",
    Failure.TLS: "TLS failed: certificate or encryption not accepted.",
    Failure.TIMED_OUT: "Timeout.",
    Failure.BROKEN: "The response was incomplete or not HTTP.",
    Failure.REDIRECTED: "The receiver redirects, and webhooks do not follow: use the final URL.",
    Failure.REFUSED: "The receiver rejected the delivery.",
    Failure.GONE: "The receiver asks for no more deliveries.",
    Failure.UNCERTAIN: "The mail server did not confirm: it may have arrived, and is not repeated.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KindChoice:
    """One kind of message in the form."""

    kind: str
    title: str
    meaning: str
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookRow:
    """One webhook in a list; *state* is a glyph, and *title* describes the state."""

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
    #: Result of the last attempt.
    outcome: str
    #: Time of the next attempt, or None.
    next_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow:
    """One attempt."""

    attempt: Attempt
    verdict: str
    outcome: str
    address: str
    detail: str
    #: Duration in milliseconds; None for an unfinished attempt.
    took: int | None


def kind_choices(
    chosen: Iterable[str], kinds: Iterable[Kind] = CHOSEN_KINDS
) -> tuple[KindChoice, ...]:
    """Return *kinds* of messages; those in *chosen* are marked."""
    marked = set(chosen)
    return tuple(
        KindChoice(
            kind=kind.value,
            title=kind.label,
            meaning=_MEANINGS[kind],
            is_chosen=kind.value in marked,
        )
        for kind in kinds
    )


def webhook_row(webhook: Webhook) -> WebhookRow:
    """Return the row of a webhook with its state."""
    state, title = "accepting", "No delivery yet"
    if webhook.paused == Webhook.Paused.FAILING:
        state, title = "error", "Paused: failing for days"
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
    """Return the row of a delivery with the result of its *last* attempt."""
    title, state = _STATES[delivery.state]
    waits = delivery.state == Delivery.State.WAITING
    under_way = waits and last is not None and last.ended_at is None
    if under_way:
        title = "Sending"
    return DeliveryRow(
        delivery=delivery,
        kind=Kind(delivery.kind).label,
        state=state,
        title=title,
        outcome=_outcome(last) if last else "No attempt yet.",
        next_at=delivery.due_at if waits and not under_way else None,
    )


def attempt_rows(attempts: Iterable[Attempt]) -> tuple[AttemptRow, ...]:
    """Return the rows of attempts, newest first."""
    return tuple(_attempt_row(each) for each in reversed(list(attempts)))


def state_segments(path: str, query: QueryDict) -> tuple[Segment, ...]:
    """Return the segments of the state filter; the first one stands for all states."""
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
    """Return a JSON body with indentation."""
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
        return "In progress, or its worker has stopped; retried if no answer arrives."
    answered = f"Answered {attempt.status}." if attempt.status else ""
    failure = _FAILURES.get(attempt.failure, "")
    return " ".join(filter(None, (answered, failure)))
