"""Count what still runs in the accounts, several times an hour."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import F, Q

from console.accounting.models import AccountClock
from console.accounting.services.write_accounts import fold_until, rebuild
from console.time_formats import milliseconds
from console.workloads.models import Engine

#: How long accounts stay without a fold, in milliseconds; queries add the time since the last one.
_EVERY: Final = 5 * 60 * 1000


def due_for_folding(now: datetime) -> list[int]:
    """Return the keys of organizations whose accounts are not folded, or not rebuilt."""
    clock = "org__account_clock"
    is_due = (
        Q(**{clock: None})
        | Q(**{f"{clock}__counted_until__lte": milliseconds(now) - _EVERY})
        | ~Q(**{f"{clock}__engine_version": F("version")})
    )
    return list(Engine.objects.filter(is_due).order_by("pk").values_list("pk", flat=True))


def fold_accounts(org_id: int, now: datetime) -> None:
    """Count the accounts of an organization until *now*; a repetition changes nothing."""
    with transaction.atomic():
        # A batch writes this row first, so no batch is written meanwhile.
        engine = Engine.objects.select_for_update(no_key=True).filter(pk=org_id).first()
        if engine is None:
            return
        at = milliseconds(now)
        clock = AccountClock.objects.filter(pk=org_id).first()
        if clock is None or clock.engine_version != engine.version:
            rebuild(org_id, at, engine.version)
        else:
            fold_until(clock, at)
