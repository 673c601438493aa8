"""Count the attention items of an organization, for badges and open pages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db.models import F, Q

from console.orgs.models import Organization
from console.overview.attention import attention
from console.overview.items import Item, Level
from console.overview.models import Outlook
from console.overview.task_limits import MAX_ORGS_PER_RUN
from console.workloads.models import Engine
from console.workloads.queries import queue_list

#: Maximum age of a count if there are changes or items, and otherwise.
_SOON: Final = timedelta(minutes=1)
_LATEST: Final = timedelta(minutes=10)


def due_attention_counts(now: datetime) -> list[int]:
    """
    Return the keys of the organizations for `count_attention`.

    At most `MAX_ORGS_PER_RUN`, those counted longest ago first, so that each gets its turn.
    """
    outlook = "org__outlook"
    changed = (
        Q(**{f"{outlook}__items__gt": 0})
        | ~Q(**{f"{outlook}__engine_version": F("version")})
        | Q(org__active_config__changed_at__gte=F(f"{outlook}__looked_at"))
    )
    due = (
        Q(**{outlook: None})
        | Q(**{f"{outlook}__looked_at__lt": now - _LATEST})
        | Q(**{f"{outlook}__looked_at__lt": now - _SOON}) & changed
    )
    waits_longest = F(f"{outlook}__looked_at").asc(nulls_first=True)
    rows = Engine.objects.filter(due).order_by(waits_longest, "pk")
    return list(rows.values_list("pk", flat=True)[:MAX_ORGS_PER_RUN])


def count_attention(org_id: int, now: datetime) -> None:
    """Rewrite the count of attention items of an organization; does nothing if it is deleted."""
    org = Organization.objects.filter(pk=org_id).first()
    if org is None:
        return
    version = Engine.objects.values_list("version", flat=True).get(pk=org_id)
    items = attention(org, queue_list(org), now, manages=False)
    Outlook.objects.update_or_create(
        org=org,
        defaults={
            "items": len(items),
            "urgent": sum(item.level is not Level.HINT for item in items),
            "digest": _digest(items),
            "engine_version": version,
            "looked_at": now,
        },
    )


def _digest(items: Iterable[Item]) -> str:
    return hashlib.sha256(repr(list(items)).encode()).hexdigest()
