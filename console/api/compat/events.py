"""Events in the client's protocol, with its filters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.times import time_answer
from console.api.compat.base import ClientView, email_of, results
from console.engine.wording.reasons import event_sentence
from console.reading import QueryReader
from console.workloads.disclosure import disclose_events
from console.workloads.event_facts import public_event_data
from console.workloads.models import Event, EventType
from console.workloads.queries.event_search import EventSearch, count_events, search_events

#: Maximum and default number of events on a page.
_MOST, _USUAL = 100, 50

#: All levels of the protocol; Sluice uses the first three.
_LEVELS = ("INFO", "WARNING", "ERROR", "TRACE", "DEBUG", "CRITICAL", "UNKNOWN")

#: The actor that is neither a person nor a token.
_ENGINE = "engine"

_LISTS = ("queue_name", "flavor_name", "level", "event_type")


class Events(ClientView):
    """The events of the organization."""

    parameters = (
        *("cloud_id", "cluster_id", "project_id", "cloud_resource_id", "user_id", "search_id"),
        *(*_LISTS, "start_time", "end_time", "order_desc", "paging_token", "count"),
    )
    repeatable = _LISTS

    def get(self, request: Request) -> Response:
        """List the events, newest first unless ``order_desc`` is false."""
        return list_events(self, request, _search, _event)


class ExportedEvents(ClientView):
    """The events of the organization, in the format of the client's external API."""

    parameters = (
        *("workload_id", "scheduler_request_id", "queues", "project_id", "cloud_id"),
        *("event_types", "levels", "start_time", "end_time"),
        *("order_desc", "paging_token", "count"),
    )
    repeatable = ("queues", "event_types", "levels")

    def get(self, request: Request) -> Response:
        """List the events, newest first unless ``order_desc`` is false."""
        return list_events(self, request, _exported_search, _exported_event)


def list_events(
    view: ClientView,
    request: Request,
    search_of: Callable[[QueryReader], EventSearch],
    answer_of: Callable[[Event, str], dict[str, Any]],
) -> Response:
    """
    Return one page of events; *search_of* reads the filters, *answer_of* formats an event.

    *answer_of* takes an event of `search_events` and the organization's slug. Raises BadRequest.
    """
    org = view.actor.org
    reader = QueryReader(request.query_params)
    search = search_of(reader)
    cloud = reader.text("cloud_id")
    is_newest_first = reader.flag("order_desc", default=True)
    reader.finish()
    count = view.number(request, "count", _USUAL, 0, _MOST)
    token = view.paging_token(request)
    if cloud not in (None, org.slug):
        return results([], 0, None)
    total = count_events(org, search)
    if not count:
        return results([], total, None)
    page = search_events(org, search, count, token, is_newest_first=is_newest_first)
    events = disclose_events(view.actor, page.results)
    return results([answer_of(event, org.slug) for event in events], total, page.next)


def _search(reader: QueryReader) -> EventSearch:
    ids = (reader.text("cluster_id"), reader.text("search_id"))
    return EventSearch(
        types=reader.choices("event_type", EventType.values),
        levels=reader.choices("level", _LEVELS),
        queues=reader.texts("queue_name"),
        flavors=reader.texts("flavor_name"),
        workloads=frozenset(filter(None, ids)),
        actor=reader.text("user_id"),
        project=reader.text("project_id"),
        cloud_resource=reader.text("cloud_resource_id"),
        since=reader.time("start_time"),
        until=reader.time("end_time"),
    )


def _exported_search(reader: QueryReader) -> EventSearch:
    ids = (reader.text("workload_id"), reader.text("scheduler_request_id"))
    return EventSearch(
        types=reader.choices("event_types", EventType.values),
        levels=reader.choices("levels", _LEVELS),
        queues=reader.texts("queues"),
        workloads=frozenset(filter(None, ids)),
        project=reader.text("project_id"),
        since=reader.time("start_time"),
        until=reader.time("end_time"),
    )


def _event(event: Event, org: str) -> dict[str, Any]:
    """Return an event of `search_events`."""
    uid, kind, project, labels = _workload(event)
    is_engine = event.actor == _ENGINE
    return {
        "id": str(event.pk),
        "organization_id": org,
        "cloud_id": org,
        "cluster_id": uid,
        "scheduler_request_id": uid,
        "user_id": None if is_engine else event.actor,
        "user_email": None if is_engine else email_of(event.actor),
        "queue_name": event.queue,
        "flavor_name": ", ".join(sorted(set(event.data.get("flavors", {}).values()))) or None,
        "project_id": project or None,
        "cloud_resource_id": labels.get("cloud-resource-id"),
        "workload_type": kind.upper() if kind else None,
        "instance_type": labels.get("instance-type"),
        "created_at": time_answer(event.created_at),
        "event_timestamp": time_answer(event.created_at),
        "level": event.level,
        "event_type": event.type,
        "message": event_sentence(event.type, event.data),
        "metadata_json": public_event_data(event.data),
    }


def _exported_event(event: Event, org: str) -> dict[str, Any]:
    """Return an event of `search_events` in the format of the external API."""
    uid, kind, project, labels = _workload(event)
    workload = {"id": uid, "type": kind.upper() if kind else None, "name": event.data.get("name")}
    return {
        "id": str(event.pk),
        "type": event.type,
        "level": event.level,
        "event_time": time_answer(event.created_at),
        "message": event_sentence(event.type, event.data),
        "cloud_id": org,
        "project_id": project or None,
        "scheduler_request_id": uid,
        "queue": event.queue,
        "instance_type": labels.get("instance-type"),
        "workload": workload if uid else None,
        "data": event.data,
    }


def _workload(event: Any) -> tuple[str | None, str | None, str | None, dict[str, str]]:
    """Return id, type, project and labels of the workload of an event."""
    return (
        event.workload_uid,
        event.workload_type,
        event.workload_project,
        event.workload_labels or {},
    )
