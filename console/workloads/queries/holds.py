"""Past holds of a queue, from the audit log, whose entries are kept longest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from console.orgs.models import AuditEntry, Organization

#: Maximum number of hold and resume entries that are read, the newest.
_MOST = 200

_HOLD, _RESUME = "queue.hold", "queue.resume"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A period in which a queue was held."""

    since: datetime
    #: None if it continues.
    until: datetime | None
    #: The last one that was given.
    reason: str


def holds_between(org: Organization, queue: str, since: datetime, until: datetime) -> list[Held]:
    """Return the holds of *queue* that overlap the time from *since* to *until*, in order."""
    rows = AuditEntry.objects.filter(
        org=org,
        kind="queue",
        subject=queue,
        action__in=(_HOLD, _RESUME),
        created_at__lt=until,
    ).order_by("-id")
    found: list[Held] = []
    begun: datetime | None = None
    reason = ""
    for action, at, after in reversed(rows.values_list("action", "created_at", "after")[:_MOST]):
        if action == _HOLD:
            begun, reason = begun or at, (after or {}).get("reason", "")
        elif begun is not None:
            found.append(Held(since=begun, until=at, reason=reason))
            begun = None
    if begun is not None:
        found.append(Held(since=begun, until=None, reason=reason))
    return [each for each in found if each.until is None or each.until > since]
