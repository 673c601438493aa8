"""Events by any mix of conditions, in either order of time: each page at a bounded cost."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, Q, QuerySet, TextField
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast

from console.configs.queries import active_policy
from console.orgs.models import Organization
from console.paging import Page, newest_first, oldest_first
from console.workloads.models import Event, Workload

#: Events of the conditions that an index answers, the newest, among which matches are counted.
MOST_COUNTED = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSearch:
    """Conditions on events, all of which have to hold; None and empty leave that side open."""

    types: Collection[str] = ()
    levels: Collection[str] = ()
    queues: Collection[str] = ()
    #: Flavors that the workload was given.
    flavors: Collection[str] = ()
    #: Ids of workloads; no event is about two.
    workloads: frozenset[str] = frozenset()
    actor: str | None = None
    project: str | None = None
    cloud_resource: str | None = None
    #: Both included.
    since: datetime | None = None
    until: datetime | None = None


def search_events(
    org: Organization,
    search: EventSearch,
    limit: int,
    cursor: str | None = None,
    *,
    is_newest_first: bool = True,
) -> Page[Event]:
    """
    Return one page of the events that pass *search*.

    Each has *workload_uid*, *workload_type*, *workload_project* and *workload_labels*, which are
    None where it is about no workload.
    """
    driven, rest = _conditions(org, search)
    rows = driven.annotate(
        workload_uid=F("workload__uid"),
        workload_type=F("workload__type"),
        workload_project=F("workload__project"),
        workload_labels=F("workload__label_set__labels"),
    )
    walk = newest_first if is_newest_first else oldest_first
    return walk(rows, rest or None, limit, cursor)


def count_events(org: Organization, search: EventSearch) -> int:
    """Return how many events pass *search*, counted among the newest `MOST_COUNTED`."""
    driven, rest = _conditions(org, search)
    edges = driven.order_by("-pk").values_list("pk", flat=True)[MOST_COUNTED - 1 : MOST_COUNTED]
    edge = next(iter(edges), 0)
    return driven.filter(rest, pk__gte=edge).count()


def _conditions(org: Organization, search: EventSearch) -> tuple[QuerySet[Event], Q]:
    """Return the rows that one index answers in order, and what is judged row by row."""
    wanted: dict[str, Any] = {
        "actor": search.actor,
        "workload__project": search.project,
        "cloud_resource": search.cloud_resource,
        "created_at__gte": search.since,
        "created_at__lte": search.until,
        "level__in": search.levels,
        "queue__in": search.queues,
        "type__in": search.types,
    }
    rest = Q(**{name: value for name, value in wanted.items() if value})
    rows: QuerySet[Any] = Event.objects.filter(org=org).alias(
        cloud_resource=_text("cloud-resource-id", F("workload__label_set__labels"))
    )
    if search.flavors:
        rows, given = _given(org, rows, search.flavors)
        rest &= given
    return _driven(org, rows, search), rest


def _driven(org: Organization, rows: QuerySet[Event], search: EventSearch) -> QuerySet[Event]:
    if len(search.workloads) > 1:
        return rows.none()
    if search.workloads:
        # So few that each may be looked at.
        return rows.filter(
            workload=Workload.objects.filter(org=org, uid__in=search.workloads).first() or 0
        )
    if len(search.queues) == 1:
        return rows.filter(queue=next(iter(search.queues)))
    if len(search.types) == 1:
        return rows.filter(type=next(iter(search.types)))
    return rows


def _given(
    org: Organization, rows: QuerySet[Any], flavors: Collection[str]
) -> tuple[QuerySet[Any], Q]:
    """Return *rows* and the condition that one of *flavors* was given for some resource."""
    groups = [group for queue in active_policy(org).queues.values() for group in queue.groups]
    resources = sorted({resource for group in groups for resource in group.resources})
    given = Q(pk__in=())
    for place, resource in enumerate(resources):
        rows = rows.alias(
            **{f"flavor_{place}": _text(resource, KeyTransform("flavors", F("data")))}
        )
        given |= Q(**{f"flavor_{place}__in": flavors})
    return rows, given


def _text(key: str, of: Any) -> Cast:
    """Return the text at *key*; without the cast it would be compared with JSON."""
    return Cast(KeyTextTransform(key, of), TextField())
