"""Response bodies of resource-time."""

from __future__ import annotations

from typing import Any

from console.accounting.amounts import in_seconds, time_of_hour
from console.accounting.queries.accounts import Accounts, Used
from console.api.answers.times import time_answer
from console.engine.model.amounts import Amount
from console.orgs.models import Organization
from console.paging import write_cursor


def accounts_answer(
    org: Organization, found: Accounts, by: str, first: int, limit: int
) -> dict[str, Any]:
    """Return *limit* values of *found* from number *first* on, with totals and series."""
    window, end = found.window, first + limit
    return {
        "by": by,
        "step": window.step.value,
        "since": time_answer(time_of_hour(window.since)),
        "until": time_answer(time_of_hour(window.until)),
        "kept_since": time_answer(time_of_hour(window.kept_since)),
        "counted_since": time_answer(found.counted_since),
        "simulated_until": time_answer(org.simulated_until),
        "resource": found.resource,
        "resources": [
            {
                "resource": name,
                "used": in_seconds(found.totals.get(name, 0)),
                "quota": _quota(found.quota.get(name)),
                "idle": _quota(found.idle(name)),
            }
            for name in found.resources
        ],
        "steps": [time_answer(time_of_hour(start)) for start in window.starts],
        "series": [
            {"value": used.value, "used": [in_seconds(amount) for amount in amounts]}
            for used, amounts in zip(found.values, found.series, strict=False)
        ],
        "other": None if found.other is None else [in_seconds(each) for each in found.other],
        "results": [_value(found, used) for used in found.values[first:end]],
        "next": write_cursor(end) if end < len(found.values) else None,
    }


def _value(found: Accounts, used: Used) -> dict[str, Any]:
    return {
        "value": used.value,
        "resources": [
            {
                "resource": name,
                "used": in_seconds(amount),
                "share": found.share(used, name),
                "quota": _quota(used.quota.get(name)),
            }
            for name, amount in used.amounts.items()
        ],
    }


def _quota(quota: Amount | None) -> int | float | None:
    return in_seconds(quota) if isinstance(quota, int) else None
