"""Resource-time as rows of a file, one for each value and resource."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from console.accounting.amounts import in_seconds, time_of_hour
from console.accounting.queries.accounts import Accounts
from console.accounting.queries.read_hours import LABEL
from console.time_formats import to_iso

EXPORTED: Final = (
    *("value", "resource", "used_seconds", "share", "quota_seconds"),
    *("used_hours", "quota_hours", "from", "to"),
)

#: What does not belong into the name of a file, and the most characters of a key in it.
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME: Final = 60

_HOUR: Final = 3600


def exported_rows(found: Accounts, by: str, now: datetime) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file of usage until *now*, the largest consumer first."""
    since = to_iso(time_of_hour(found.window.since))
    until = to_iso(min(time_of_hour(found.window.until), now))
    for used in found.values:
        for name, amount in used.amounts.items():
            used_seconds, quota = in_seconds(amount), found.quota_of(used, by, name)
            quota_seconds = in_seconds(quota) if isinstance(quota, int) else None
            yield {
                "value": used.value,
                "resource": name,
                "used_seconds": used_seconds,
                "share": found.share(used, name),
                "quota_seconds": quota_seconds,
                "used_hours": _hours(used_seconds),
                "quota_hours": _hours(quota_seconds),
                "from": since,
                "to": until,
            }


def file_name(by: str) -> str:
    """
    Return the name of a file by a dimension or label, without its date and type.

    >>> file_name("label.team"), file_name("label.example.com/cost center"), file_name("label.ß")
    ('usage-by-team', 'usage-by-example.com-cost-center', 'usage-by-label')
    """
    key = _NOT_IN_NAMES.sub("-", by.removeprefix(LABEL)).strip("-.")
    return f"usage-by-{key[:_LONGEST_NAME] or 'label'}"


def _hours(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds / _HOUR, 4)
