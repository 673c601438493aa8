"""Events in the form of YuniKorn's records."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.yunikorn.base import SchedulerView
from console.api.yunikorn.errors import WrongParameter
from console.api.yunikorn.shapes import nanoseconds, present
from console.engine.disciplines.hierarchy.spec import ROOT
from console.engine.wording.reasons import event_sentence
from console.reading import LARGEST_INTEGER
from console.workloads.disclosure import disclose_events
from console.workloads.models import Event, EventType
from console.workloads.queries.event_batches import events_from

#: Default and maximum number of events.
_USUAL, _MOST = 1000, 10_000

# Values of the records' enumerations.
_APP, _NODE, _QUEUE = 2, 3, 4
_NONE, _SET, _ADD, _REMOVE = 0, 1, 2, 3


class _Kind(NamedTuple):
    """The type of a record, the kind of its change, and the detail."""

    type: int
    change: int = _NONE
    detail: int = 0


_KINDS: Final[Mapping[str, _Kind]] = {
    EventType.REQUEST_SUBMITTED: _Kind(_APP, _ADD, 203),
    EventType.REQUEST_QUEUED: _Kind(_APP, _SET, 204),
    EventType.REQUEST_REQUEUED: _Kind(_APP, _SET, 204),
    EventType.REQUEST_ADMITTED: _Kind(_APP, _SET, 206),
    EventType.REQUEST_REJECTED: _Kind(_APP, _SET, 202),
    EventType.REQUEST_PREEMPTED: _Kind(_APP, _SET, 209),
    EventType.REQUEST_RELEASED: _Kind(_APP, _REMOVE, 501),
    EventType.REQUEST_FULFILLED: _Kind(_APP, _SET, 208),
    EventType.REQUEST_ABORTED: _Kind(_APP, _SET, 210),
    EventType.REQUEST_FAILED: _Kind(_APP, _SET, 210),
    EventType.REQUEST_FALLBACK: _Kind(_APP),
    EventType.PODS_RESIZED: _Kind(_APP, _SET, 200),
    EventType.PODS_FINISHED: _Kind(_APP, _REMOVE, 200),
    EventType.PODS_RELEASED: _Kind(_APP, _REMOVE, 501),
    EventType.PRIORITY_CHANGED: _Kind(_APP, _SET, 200),
    EventType.DEACTIVATED: _Kind(_APP, _SET, 200),
    EventType.ACTIVATED: _Kind(_APP, _SET, 200),
    EventType.CONFIG_UPDATED: _Kind(_QUEUE, _SET, 400),
    EventType.QUEUE_HELD: _Kind(_QUEUE),
    EventType.QUEUE_RESUMED: _Kind(_QUEUE),
    EventType.QUOTA_BORROWED: _Kind(_QUEUE),
    EventType.QUOTA_RECLAIMED: _Kind(_QUEUE),
    EventType.CLUSTER_REGISTERED: _Kind(_NODE, _ADD),
    EventType.CLUSTER_CHANGED: _Kind(_NODE, _SET, 304),
    EventType.CLUSTER_SILENT: _Kind(_NODE, _SET, 301),
    EventType.CLUSTER_RETURNED: _Kind(_NODE, _SET, 301),
    EventType.CLUSTER_DELETED: _Kind(_NODE, _REMOVE, 300),
}
#: Events that YuniKorn has no type for.
_UNKNOWN: Final = _Kind(0)


class EventBatch(SchedulerView):
    """A part of the events of the organization."""

    parameters = ("start", "count")

    def get(self, request: Request) -> Response:
        """Return events from the id ``start`` on, oldest first."""
        org = self.actor.org
        count = min(_MOST, _number(request, "count", _USUAL))
        if not count:
            raise WrongParameter(
                "count", '0 is not a valid value for "count"', "count has to be at least 1."
            )
        batch = events_from(org, _number(request, "start", 0), count)
        identity = uuid.uuid5(uuid.NAMESPACE_OID, f"{org.pk} {org.created_at.isoformat()}")
        return Response(
            {
                "InstanceUUID": str(identity),
                "LowestID": batch.lowest,
                "HighestID": batch.highest,
                "EventRecords": [
                    _record(each) for each in disclose_events(self.actor, batch.events)
                ],
            }
        )


def _number(request: Request, name: str, default: int) -> int:
    """Return a natural number; raises WrongParameter in the words of Go."""
    text = request.query_params.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit()):
        raise WrongParameter(
            name,
            f'strconv.ParseUint: parsing "{text}": invalid syntax',
            f"{name} has to be a natural number.",
        )
    return min(int(text[:20]), LARGEST_INTEGER)


def _record(event: Event) -> dict[str, Any]:
    kind = _KINDS.get(event.type, _UNKNOWN)
    return {
        **present(
            type=kind.type,
            objectID=_object(kind, event),
            message=event_sentence(event.type, event.data),
            timestampNano=nanoseconds(event.created_at),
            eventChangeType=kind.change,
            eventChangeDetail=kind.detail,
            referenceID=event.queue if kind.type == _APP else None,
        ),
        "resource": {},
    }


def _object(kind: _Kind, event: Event) -> str:
    """Return the id of the workload, the name of the cluster, or the name of the queue."""
    if kind.type == _NODE:
        return str(event.data.get("cluster", ""))
    if kind.type == _QUEUE:
        return event.queue or ROOT
    return getattr(event, "workload_uid", None) or ""
