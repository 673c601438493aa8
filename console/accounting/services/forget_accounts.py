"""Sum up expired hours by day, and delete expired days and unused accounts."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import Exists, F, Min, OuterRef

from console.accounting.amounts import DAY, hour_of, split
from console.accounting.models import Account, AccountClock, AccountedHour
from console.accounting.sums import sum_of, summed
from console.bulk import add_to_rows
from console.retention.write_pauses import pause_after
from console.series.models import Step
from console.series.retention import RetentionPeriods
from console.workloads.models import Engine

#: Maximum number of rows that one statement deletes, and of days that one pass sums up.
_ROWS: Final = 1000
_DAYS: Final = 60

_KEY: Final = ("org_id", "hour", "account_id")


def forget_accounts(now: datetime) -> None:
    """Sum up and delete the expired rows of all organizations."""
    kept = RetentionPeriods.configured()
    hours, days = hour_of(kept.since(Step.HOUR, now)), hour_of(kept.since(Step.DAY, now))
    for org_id in AccountClock.objects.order_by("pk").values_list("pk", flat=True):
        for _ in range(_DAYS):
            with pause_after():
                if not _sum_up_a_day(org_id, hours):
                    break
        _forget_days(org_id, days)
        _forget_unused(org_id)


def _sum_up_a_day(org_id: int, before: int) -> bool:
    """Sum up the first day before the hour *before* that has other hours than its first."""
    rows = AccountedHour.objects.filter(org=org_id, hour__lt=before)
    rest = rows.annotate(of_day=F("hour") % DAY).exclude(of_day=0)
    first = rest.aggregate(first=Min("hour"))["first"]
    if first is None:
        return False
    start = first // DAY * DAY
    with transaction.atomic():
        Engine.objects.select_for_update(no_key=True).get(pk=org_id)
        day = AccountedHour.objects.filter(org=org_id, hour__gt=start, hour__lt=start + DAY)
        sums = summed(day.values_list("account_id"))
        add_to_rows(
            AccountedHour,
            (*_KEY, "high", "low"),
            [(org_id, start, account, *split(sum_of(*parts))) for account, *parts in sorted(sums)],
            key=_KEY,
            counts=("high", "low"),
        ).run()
        day.delete()
    return True


def _forget_days(org_id: int, before: int) -> None:
    old = AccountedHour.objects.filter(org=org_id, hour__lt=before)
    while True:
        with pause_after():
            keys = list(old.values_list("pk", flat=True)[:_ROWS])
            AccountedHour.objects.filter(pk__in=keys).delete()
        if len(keys) < _ROWS:
            return


def _forget_unused(org_id: int) -> None:
    """Delete accounts that hold nothing and have no hours."""
    hours = AccountedHour.objects.filter(account=OuterRef("pk"))
    unused = Account.objects.filter(~Exists(hours), org=org_id, held=0)
    while True:
        with pause_after(), transaction.atomic():
            Engine.objects.select_for_update(no_key=True).get(pk=org_id)
            keys = list(unused.values_list("pk", flat=True)[:_ROWS])
            Account.objects.filter(pk__in=keys).delete()
        if len(keys) < _ROWS:
            return
