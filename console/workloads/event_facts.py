"""Events as rows of the API and of exports."""

from __future__ import annotations

from typing import Any, Final

from console.engine.reasons import event_sentence
from console.moments import written
from console.workloads.models import Event

#: The keys of `event_facts`, in its order.
COLUMNS: Final = (
    *("id", "created_at", "type", "level", "message"),
    *("workload", "queue", "actor", "data"),
)


def event_facts(event: Event) -> dict[str, Any]:
    """Return an event that `search_events` gave, with its sentence."""
    return {
        "id": str(event.pk),
        "created_at": written(event.created_at),
        "type": event.type,
        "level": event.level,
        "message": event_sentence(event.type, event.data),
        "workload": event.workload_uid,  # type: ignore[attr-defined]
        "queue": event.queue,
        "actor": event.actor,
        "data": event.data,
    }
