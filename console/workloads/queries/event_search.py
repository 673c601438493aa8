"""Search of events by any conditions, in either order of time; each page has a limited cost."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, Count, F, Func, Q, QuerySet, TextField, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.db.models.sql.compiler import SQLCompiler
from django.http import QueryDict

from console.orgs.models import Organization
from console.paging import (
    MAX_LIMIT,
    Page,
    every_row,
    merged_newest_first,
    newest_first,
    newest_of,
    oldest_first,
)
from console.policies.models import ConfigVersion
from console.reading import QueryReader
from console.time_keys import limit_to_times
from console.workloads.models import Event, EventType, Level, Workload

#: Maximum number of events of the indexed conditions, the newest, among which matches are counted.
MOST_COUNTED = 10_000

#: The same for counts by type.
MOST_TYPED = 2_000

#: Query parameters, and those that may be repeated.
REPEATABLE = ("type", "level", "queue", "flavor")
PARAMETERS = (
    *REPEATABLE,
    *("workload", "actor", "user", "project", "config", "id", "since", "until"),
)

#: Types with events of each level; a search for a level reads only these.
_TYPES_BY_LEVEL: Mapping[str, Collection[str]] = {
    Level.INFO: EventType.values,
    Level.WARNING: (
        EventType.REQUEST_PREEMPTED,
        EventType.CLUSTER_SILENT,
        EventType.CONFIG_UPDATED,
    ),
    Level.ERROR: (EventType.REQUEST_REJECTED, EventType.CONFIG_UPDATED),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSearch:
    """Conditions on events, all of which have to match; None and empty values match all events."""

    types: Collection[str] = ()
    levels: Collection[str] = ()
    queues: Collection[str] = ()
    #: Flavors in the assignment of the workload.
    flavors: Collection[str] = ()
    #: Ids of workloads. An event has one workload, so two ids match nothing.
    workloads: frozenset[str] = frozenset()
    #: The actor of the event, and the user of its workload.
    actor: str | None = None
    user: str | None = None
    project: str | None = None
    cloud_resource: str | None = None
    #: Config version that was active at the time of the event.
    config: int | None = None
    #: Primary key of a single event.
    id: int | None = None
    #: Time limits, both inclusive.
    since: datetime | None = None
    until: datetime | None = None
    #: Exclusive time limit.
    before: datetime | None = None

    @classmethod
    def from_query(cls, query: QueryDict) -> EventSearch:
        """Read the query parameters; raises BadRequest with every wrong value."""
        reader = QueryReader(query)
        workload = reader.text("workload")
        found = cls(
            types=reader.choices("type", EventType.values),
            levels=reader.choices("level", Level.values),
            queues=reader.texts("queue"),
            flavors=reader.texts("flavor"),
            workloads=frozenset([workload] if workload else ()),
            actor=reader.text("actor"),
            user=reader.text("user"),
            project=reader.text("project"),
            config=reader.number("config"),
            id=reader.number("id"),
            since=reader.time("since"),
            before=reader.end("until"),
        )
        reader.finish()
        return found


def search_events(
    org: Organization,
    search: EventSearch,
    limit: int,
    cursor: str | None = None,
    *,
    is_newest_first: bool = True,
) -> Page[Event]:
    """
    Return one page of the events that match *search*.

    Each event has *workload_uid*, *workload_type*, *workload_project* and *workload_labels*,
    which are None for an event without a workload.
    """
    indexed, rest = _conditions(org, search)
    rows = indexed.annotate(
        workload_uid=F("workload__uid"),
        workload_type=F("workload__type"),
        workload_project=F("workload__project"),
        workload_labels=F("workload__label_set__labels"),
    )
    types = _rare_types(search)
    if is_newest_first and types is not None:
        walks = [indexed.filter(rest, type=each) for each in types]
        return merged_newest_first(rows, walks, limit, cursor)
    walk = newest_first if is_newest_first else oldest_first
    return walk(rows, rest or None, limit, cursor)


def all_events(org: Organization, search: EventSearch) -> Iterator[Event]:
    """Yield every event that matches *search*, newest first."""
    return every_row(lambda cursor: search_events(org, search, MAX_LIMIT, cursor))


def newest_event(org: Organization) -> int:
    """Return the key of the newest event of *org*, which changes with every event."""
    return Event.objects.filter(org=org).values_list("pk", flat=True).first() or 0


def count_events(org: Organization, search: EventSearch) -> int:
    """Return the number of events among the newest `MOST_COUNTED` that match *search*."""
    indexed, rest = _conditions(org, search)
    return newest_of(indexed, MOST_COUNTED).filter(rest).count()


def count_by_type(org: Organization, search: EventSearch) -> dict[str, int]:
    """
    Return the number of events that match *search* by type, ignoring its condition on types.

    Counted are the newest `MOST_TYPED` events.
    """
    indexed, rest = _conditions(org, replace(search, types=()))
    rows = newest_of(indexed, MOST_TYPED).filter(rest)
    return dict(rows.values_list("type").annotate(count=Count("pk")))


def _rare_types(search: EventSearch) -> frozenset[str] | None:
    """
    Return event types to be searched one by one, because they may be rare; None for one search.

    Each type has its own index range, and few types have a level above INFO.
    """
    given = {each.name for each in fields(search) if getattr(search, each.name) != each.default}
    # Times were converted to limits of primary keys.
    given -= {"since", "until", "before", "config"}
    if not given or not given <= {"types", "levels"}:
        return None
    types = set(search.types or EventType.values)
    if search.levels:
        # Levels of the protocol without events are valid and match nothing.
        types &= {each for level in search.levels for each in _TYPES_BY_LEVEL.get(level, ())}
    return frozenset(types) if len(types) < len(EventType.values) else None


def _conditions(org: Organization, search: EventSearch) -> tuple[QuerySet[Event], Q]:
    """Return rows that one index serves in order, and the conditions that are checked per row."""
    wanted: dict[str, Any] = {
        "actor": search.actor,
        "workload__user": search.user,
        "workload__project": search.project,
        "cloud_resource": search.cloud_resource,
        "created_at__gte": search.since,
        "created_at__lte": search.until,
        "created_at__lt": search.before,
        "level__in": search.levels,
        "queue__in": search.queues,
        "type__in": search.types,
    }
    rest = Q(**{name: value for name, value in wanted.items() if value})
    rows: QuerySet[Any] = Event.objects.filter(org=org).alias(
        cloud_resource=_text("cloud-resource-id", F("workload__label_set__labels"))
    )
    if search.id is not None:
        rows = rows.filter(pk=search.id)
    if search.config is not None:
        begun, ended = _while_active(org, search.config)
        if begun is None:
            return rows.none(), rest
        rest &= Q(created_at__gte=begun) & (Q(created_at__lt=ended) if ended else Q())
        rows = limit_to_times(rows, begun, ended)
    rows = limit_to_times(rows, search.since, search.before or search.until)
    if _matches_no_workload(org, user=search.user) or _matches_no_workload(
        org, project=search.project
    ):
        return rows.none(), rest
    if search.flavors:
        rest &= Q(_HasAnyFlavor(search.flavors))
    return _indexed_rows(org, rows, search), rest


def _matches_no_workload(org: Organization, **conditions: str | None) -> bool:
    """Return whether no workload matches *conditions*; otherwise all events would be scanned."""
    given = {name: value for name, value in conditions.items() if value}
    return bool(given) and not Workload.objects.filter(org=org, **given).exists()


def _indexed_rows(org: Organization, rows: QuerySet[Event], search: EventSearch) -> QuerySet[Event]:
    if len(search.workloads) > 1:
        return rows.none()
    if search.workloads:
        # A workload has few events, so its index range is read completely.
        return rows.filter(
            workload=Workload.objects.filter(org=org, uid=next(iter(search.workloads))).first() or 0
        )
    if len(search.queues) == 1:
        return rows.filter(queue=next(iter(search.queues)))
    if search.actor:
        return rows.filter(actor=search.actor)
    if len(search.types) == 1:
        return rows.filter(type=next(iter(search.types)))
    return rows


def _while_active(org: Organization, number: int) -> tuple[datetime | None, datetime | None]:
    """Return the start and the end of the time in which version *number* was active."""
    versions = ConfigVersion.objects.filter(org=org, number__in=(number, number + 1))
    begun = dict(versions.values_list("number", "created_at"))
    return begun.get(number), begun.get(number + 1)


class _HasAnyFlavor(Func):
    """
    Condition that an event's ``flavors`` contain one of some flavors, for any resource.

    It is one term for any number of resources and flavors, because SQLite rejects conditions with
    a thousand terms.
    """

    output_field = BooleanField()

    def __init__(self, flavors: Collection[str]) -> None:
        super().__init__(F("data"), *map(Value, sorted(flavors)))

    def as_sql(
        self,
        compiler: SQLCompiler,
        connection: BaseDatabaseWrapper,
        function: str | None = None,
        template: str | None = None,
        arg_joiner: str | None = None,
        **extra_context: Any,
    ) -> tuple[str, tuple[Any, ...]]:
        """Return the condition in the SQL dialect of the database."""
        data, *flavors = self.get_source_expressions()
        column, parameters = compiler.compile(data)
        values = _FLAVOR_VALUES[connection.vendor].format(column=column)
        names = ", ".join(["%s"] * len(flavors))
        sql = f"EXISTS (SELECT 1 FROM {values} WHERE value IN ({names}))"  # noqa: S608
        return sql, (*parameters, *(each.value for each in flavors))


#: SQL of the flavors of an event, one row each; no rows for an event without flavors.
_FLAVOR_VALUES = {
    "sqlite": "json_each({column}, '$.flavors')",
    "postgresql": "jsonb_each_text(CASE jsonb_typeof({column} -> 'flavors') WHEN 'object' "
    "THEN {column} -> 'flavors' END) AS given(key, value)",
}


def _text(key: str, of: Any) -> Cast:
    """Return the text at *key*; without the cast, it would be compared as JSON."""
    return Cast(KeyTextTransform(key, of), TextField())
