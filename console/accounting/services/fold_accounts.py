"""
Count what still runs in the accounts, after each hour.

An hour is counted when it has ended, because queries add the time since. If the accounts are
counted until the future, because the clock of a machine was ahead, a fold goes back.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import F, Q

from console.accounting.amounts import HOUR
from console.accounting.models import AccountClock
from console.accounting.services.write_accounts import fold_towards, rebuild
from console.retention.write_pauses import pause_after
from console.time_formats import milliseconds
from console.workloads.models import Engine

#: How far the clocks of machines may differ without a fold that goes back, in milliseconds.
_TOLERANCE: Final = 5 * 60 * 1000

#: Maximum number of transactions of one task; the task of the next minute continues.
_MOST_STEPS: Final = 20


def due_for_folding(now: datetime) -> list[int]:
    """Return the keys of organizations whose accounts are not folded, or not rebuilt."""
    clock, at = "org__account_clock", milliseconds(now)
    is_due = (
        Q(**{clock: None})
        | Q(**{f"{clock}__counted_until__lt": _last_hour(at)})
        | Q(**{f"{clock}__counted_until__gt": at + _TOLERANCE})
        | ~Q(**{f"{clock}__engine_version": F("version")})
    )
    return list(Engine.objects.filter(is_due).order_by("pk").values_list("pk", flat=True))


def fold_accounts(org_id: int, now: datetime) -> None:
    """
    Count the accounts of an organization until the last full hour; a repetition changes nothing.

    Accounts that lack a batch are counted until *now* and rebuilt.
    """
    for _ in range(_MOST_STEPS):
        with pause_after():
            is_done = _fold_once(org_id, milliseconds(now))
        if is_done:
            return


def _fold_once(org_id: int, now: int) -> bool:
    """Fold as many hours as one transaction may write, and return whether all are folded."""
    with transaction.atomic():
        # A batch writes this row first, so no batch is written meanwhile.
        engine = Engine.objects.select_for_update(no_key=True).filter(pk=org_id).first()
        if engine is None:
            return True
        clock = AccountClock.objects.filter(pk=org_id).first()
        if clock is None:
            # No engine has this version, so the accounts are rebuilt.
            clock = AccountClock(org_id=org_id, engine_version=-1, since=now, counted_until=now)
            clock.save(force_insert=True)
        if clock.engine_version == engine.version:
            is_due = not _last_hour(now) <= clock.counted_until <= now + _TOLERANCE
            return not is_due or fold_towards(clock, _last_hour(now))
        is_folded = fold_towards(clock, now)
        if is_folded:
            rebuild(clock, engine.version)
        return is_folded


def _last_hour(now: int) -> int:
    """Return the end of the last full hour before *now*, in milliseconds."""
    return now // HOUR * HOUR
