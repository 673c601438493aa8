"""Rows of "Needs attention": a sentence, the start time and a link for each item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse

from console.engine.wording.words import plural
from console.overview.items import MOST_SUBJECTS, Item, Kind, Subject
from console.pages.presenters.overview.attention_sentences import advice_of, sentence_of

#: Kind of item -> icon.
_ICONS: Final = {
    Kind.WORKER_LATE: "error",
    Kind.REVERT_FAILED: "error",
    Kind.VERSION_UNCONFIRMED: "warning",
    Kind.CHANGE_FAILED: "warning",
    Kind.REJECTED: "rejected",
    Kind.CANNOT_RUN: "error",
    Kind.CLUSTER_AWAY: "error",
    Kind.QUEUE_STARVED: "warning",
    Kind.QUEUE_AT_CEILING: "pending",
    Kind.EXPECTATIONS_BROKEN: "fail",
    Kind.WEBHOOK_FAILING: "error",
    Kind.QUEUE_HELD: "held",
    Kind.QUEUE_DRAINING: "draining",
    Kind.TOKEN_EXPIRES: "warning",
    Kind.DRAFT_BEHIND: "edit",
    Kind.DRAFT_WAITING: "edit",
    Kind.CHANGE_SCHEDULED: "history",
    Kind.RULES_IDLE: "info",
}


#: Kinds that happen again and again, of which the time is that of the first.
_OCCURRENCES: Final = frozenset({Kind.REJECTED, Kind.CANNOT_RUN, Kind.CHANGE_FAILED})


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectRow:
    """One subject of an item, such as a queue."""

    text: str
    href: str
    note: str = ""
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionRow:
    """One attention item."""

    #: HTML id.
    key: str
    icon: str
    level: str
    text: str
    since: datetime | None
    #: Whether *since* is the time of the first occurrence; otherwise it lasts since then.
    is_occurrence: bool
    until: datetime | None
    href: str
    action: str
    #: Whether the link goes to another page than the page of all items.
    is_other_page: bool
    advice: str
    subjects: tuple[SubjectRow, ...]
    #: Note that not all subjects are listed; empty if they are.
    more: str


def attention_rows(org: str, items: Iterable[Item]) -> tuple[AttentionRow, ...]:
    """Return the rows of *items* of the organization with the slug *org*."""
    return tuple(_row(org, item) for item in items)


def _row(org: str, item: Item) -> AttentionRow:
    key = f"attention-{item.key.replace('.', '-')}"
    subjects = tuple(_subject(org, item, each) for each in item.subjects)
    href, action = _action_link(org, item, subjects, key)
    until = [each.until for each in item.subjects if each.until]
    return AttentionRow(
        key=key,
        icon=_ICONS[item.kind],
        level=item.level.value,
        text=sentence_of(item),
        since=item.since,
        is_occurrence=item.kind in _OCCURRENCES,
        until=min(until, default=None),
        href=href,
        action=action,
        is_other_page=not href.endswith(f"#{key}"),
        advice=advice_of(item),
        subjects=subjects,
        more=_more(item),
    )


def _more(item: Item) -> str:
    if item.kind in (Kind.REJECTED, Kind.CANNOT_RUN):
        # The subjects are queues, those with the most workloads first.
        are_all = len(item.subjects) < MOST_SUBJECTS
        return "" if are_all else f"Only the first {MOST_SUBJECTS} queues are listed."
    left_out = item.count - len(item.subjects)
    return f"{left_out} more not listed." if item.subjects and left_out > 0 else ""


def _action_link(org: str, item: Item, subjects: Sequence[SubjectRow], key: str) -> tuple[str, str]:
    """Return the URL and the title of the item's action."""
    if item.kind in (Kind.REJECTED, Kind.CANNOT_RUN):
        state = "rejected" if item.kind is Kind.REJECTED else "pending"
        query = {"state": state, "reason": item.reason}
        if item.kind is Kind.REJECTED and item.since is not None:
            # From the oldest counted rejection, minus the time between submission and rejection.
            query["since"] = f"{item.since - _MOMENT:%Y-%m-%dT%H:%M:%SZ}"
        return f"{reverse('pages:workloads', args=[org])}?{urlencode(query)}", _view(
            item, "workload"
        )
    if item.kind in _PLACES:
        name, action = _PLACES[item.kind]
        return reverse(name, args=[org]), action
    if item.kind is Kind.WORKER_LATE:
        return f"{reverse('pages:attention', args=[org])}#{key}", "What to do"
    if len(subjects) == 1:
        return subjects[0].href, _ACTIONS[item.kind]
    return f"{reverse('pages:attention', args=[org])}#{key}", _view(item, _NOUNS[item.kind])


def _view(item: Item, noun: str) -> str:
    """
    Return the title of a link to the objects that *item* counts.

    >>> _view(Item(kind=Kind.REJECTED, count=2), "workload")
    'View 2 workloads'
    """
    return f"View {plural(item.count, noun)}" if item.is_exact else f"View {noun}s"


#: Normal maximum time from the submission of a workload to its first decision.
_MOMENT: Final = timedelta(minutes=1)

#: Kinds with one page for all subjects -> (URL name, link title).
_PLACES: Final = {
    Kind.REVERT_FAILED: ("pages:config", "Resolve"),
    Kind.VERSION_UNCONFIRMED: ("pages:config", "Confirm or roll back"),
    Kind.CHANGE_FAILED: ("pages:config-scheduled", "View scheduled changes"),
    Kind.CHANGE_SCHEDULED: ("pages:config-scheduled", "View scheduled changes"),
    Kind.EXPECTATIONS_BROKEN: ("pages:expectations", "View expectations"),
    Kind.TOKEN_EXPIRES: ("pages:api-tokens", "Rotate"),
}
#: Kinds with several possible subjects -> noun of a subject.
_NOUNS: Final = {
    Kind.CLUSTER_AWAY: "cluster",
    Kind.QUEUE_STARVED: "queue",
    Kind.QUEUE_AT_CEILING: "queue",
    Kind.WEBHOOK_FAILING: "webhook",
    Kind.QUEUE_HELD: "queue",
    Kind.QUEUE_DRAINING: "queue",
    Kind.DRAFT_BEHIND: "draft",
    Kind.DRAFT_WAITING: "draft",
    Kind.RULES_IDLE: "rule",
}
_ACTIONS: Final = {
    Kind.CLUSTER_AWAY: "View cluster",
    Kind.QUEUE_STARVED: "View loans",
    Kind.QUEUE_AT_CEILING: "View queue",
    Kind.WEBHOOK_FAILING: "View webhook",
    Kind.QUEUE_HELD: "View queue",
    Kind.QUEUE_DRAINING: "View queue",
    Kind.DRAFT_BEHIND: "View draft",
    Kind.DRAFT_WAITING: "View draft",
    Kind.RULES_IDLE: "View rule",
}


def _subject(org: str, item: Item, subject: Subject) -> SubjectRow:
    text, href = _subject_link(org, item.kind, subject)
    return SubjectRow(
        text=text,
        href=href,
        note=_note(item.kind, subject),
        since=subject.since,
        until=subject.until,
    )


def _subject_link(org: str, kind: Kind, subject: Subject) -> tuple[str, str]:
    """Return the title and the URL of a subject."""
    if kind in (Kind.REVERT_FAILED, Kind.VERSION_UNCONFIRMED):
        return subject.name, reverse("pages:config-version", args=[org, subject.number])
    if kind in (Kind.DRAFT_BEHIND, Kind.DRAFT_WAITING):
        title = subject.name or f"Draft {subject.number}"
        return title, reverse("pages:config-draft", args=[org, subject.number])
    if kind in (Kind.CHANGE_FAILED, Kind.CHANGE_SCHEDULED):
        title = subject.name or f"Scheduled apply {subject.number}"
        return title, reverse("pages:config-scheduled-change", args=[org, subject.number])
    if kind is Kind.RULES_IDLE:
        number = (subject.number or 0) + 1
        return f"Rule {number} to {subject.name}", reverse("pages:config", args=[org])
    if kind is Kind.CLUSTER_AWAY:
        return subject.name, reverse("pages:cluster", args=[org, subject.name])
    if kind is Kind.WEBHOOK_FAILING:
        return subject.name, reverse("pages:webhook", args=[org, subject.number])
    if kind is Kind.TOKEN_EXPIRES:
        return subject.name, reverse("pages:api-tokens", args=[org])
    if kind is Kind.EXPECTATIONS_BROKEN:
        return subject.name, reverse("pages:expectations", args=[org])
    if kind is Kind.QUEUE_STARVED and subject.cohort:
        return subject.name, reverse("pages:cohort", args=[org, subject.cohort])
    return subject.name, reverse("pages:queue", args=[org, subject.name])


def _note(kind: Kind, subject: Subject) -> str:
    workloads = plural(subject.count, "workload") if subject.count else ""
    if kind is Kind.QUEUE_HELD:
        waits = f"; {workloads} pending" if workloads else ""
        return f"by {subject.actor}: {subject.note}{waits}"
    if kind in (Kind.DRAFT_BEHIND, Kind.DRAFT_WAITING, Kind.VERSION_UNCONFIRMED):
        return f"by {subject.actor}"
    if kind is Kind.CHANGE_SCHEDULED:
        return f"by {subject.actor}"
    return subject.note if kind in (Kind.CLUSTER_AWAY, Kind.CHANGE_FAILED) else workloads
