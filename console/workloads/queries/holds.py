"""When a queue was held: what the audit log knows of it, which is kept longest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from console.orgs.models import AuditEntry, Organization

#: Holds and resumptions that are looked through, newest first.
_MOST = 200

_HOLD, _RESUME = "queue.hold", "queue.resume"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A time in which a queue admitted nothing new."""

    since: datetime
    #: None while it lasts.
    until: datetime | None
    #: As given last.
    reason: str


def holds_between(org: Organization, queue: str, since: datetime, until: datetime) -> list[Held]:
    """Return the holds of *queue* that lasted at any moment of that time, in order."""
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
