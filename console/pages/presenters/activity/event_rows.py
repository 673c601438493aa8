"""Rows of the event log: the sentence of an event, and its facts in a row that expands."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse

from console.orgs.models import Organization
from console.pages.presenters.activity.timeline import Entry, timeline_of
from console.workloads.event_facts import event_facts
from console.workloads.models import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """One event: its entry, the URL of the log with only this event, and its facts as JSON."""

    entry: Entry
    url: str
    facts: str


def event_rows(org: Organization, events: Iterable[Event]) -> tuple[EventRow, ...]:
    """Return the rows of *events*, in the same order."""
    shown = list(events)
    here = reverse("pages:events", args=[org.slug])
    return tuple(
        EventRow(
            entry=entry,
            url=f"{here}?id={event.pk}",
            facts=json.dumps(event_facts(event), indent=2, ensure_ascii=False),
        )
        for entry, event in zip(timeline_of(org, shown), shown, strict=True)
    )
