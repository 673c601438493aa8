"""Events from an id on, oldest first, for readers that follow the ids."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import F

from console.orgs.models import Organization
from console.workloads.models import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class EventBatch:
    """Some events, and the range of ids of which they are a part."""

    events: list[Event]
    #: The oldest event of the organization; 0 if there is none.
    lowest: int
    #: The last event of *events* if there are later ones; otherwise the newest one.
    highest: int


def events_from(org: Organization, start: int, count: int) -> EventBatch:
    """
    Return up to *count* events with ids from *start* on, oldest first.

    Each has *workload_uid*, which is None for an event without a workload.
    """
    rows = Event.objects.filter(org=org)
    lowest = rows.order_by("pk").values_list("pk", flat=True).first() or 0
    later = rows.filter(pk__gte=start).order_by("pk")
    events: list[Event] = [*later.annotate(workload_uid=F("workload__uid"))[:count]]
    if events:
        highest = events[-1].pk
    else:
        highest = rows.order_by("-pk").values_list("pk", flat=True).first() or 0
    return EventBatch(events=events, lowest=lowest, highest=highest)
