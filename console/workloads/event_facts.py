"""Events as rows for the API and exports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from console.engine.model.amounts import amount_to_number
from console.engine.wording.reasons import event_sentence
from console.time_formats import to_iso
from console.workloads.models import Event

#: The keys of `event_facts`, in order.
COLUMNS: Final = (
    *("id", "created_at", "type", "level", "message"),
    *("workload", "queue", "actor", "data"),
)


def event_facts(event: Event) -> dict[str, Any]:
    """Return the facts and the sentence of an event of `search_events`."""
    return {
        "id": str(event.pk),
        "created_at": to_iso(event.created_at),
        "type": event.type,
        "level": event.level,
        "message": event_sentence(event.type, event.data),
        "workload": event.workload_uid,  # type: ignore[attr-defined]
        "queue": event.queue,
        "actor": event.actor,
        "data": public_event_data(event.data),
    }


def public_event_data(data: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return the stored data of an event with amounts in units of their resource.

    Rows store thousandths, as the engine counts. All event data that leaves the product is
    converted here.
    """
    shown = dict(data)
    if "borrowed" in shown:
        shown["borrowed"] = _in_units(shown["borrowed"])
    for part in ("before", "after"):
        if part in shown and "requests" in shown[part]:
            shown[part] = {**shown[part], "requests": _in_units(shown[part]["requests"])}
    return shown


def _in_units(amounts: Mapping[str, int]) -> dict[str, int | float | None]:
    return {name: amount_to_number(amount) for name, amount in amounts.items()}
