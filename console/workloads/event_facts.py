"""Events as rows of the API and of exports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from console.engine.model.amounts import amount_to_number
from console.engine.wording.reasons import event_sentence
from console.time_formats import written
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
        "data": told_data(event.data),
    }


def told_data(data: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return the stored facts of an event as they are told: amounts in units of their resource.

    Rows keep thousandths, as the engine counts. Whatever leaves the product goes through here.
    """
    told = dict(data)
    if "borrowed" in told:
        told["borrowed"] = _in_units(told["borrowed"])
    for said in ("before", "after"):
        if said in told and "requests" in told[said]:
            told[said] = {**told[said], "requests": _in_units(told[said]["requests"])}
    return told


def _in_units(amounts: Mapping[str, int]) -> dict[str, int | float | None]:
    return {name: amount_to_number(amount) for name, amount in amounts.items()}
