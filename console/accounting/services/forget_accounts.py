"""Sum up expired hours by day, and delete expired days and unused accounts."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import Exists, F, Min, OuterRef

from console.accounting.amounts import DAY, hour_of, split
from console.accounting.models import Account, AccountClock, AccountedHour
from console.accounting.sums import sum_of, summed
from console.bulk import add_to_rows
from console.retention.models import Kind
from console.retention.record_deletions import record_deletions
from console.retention.write_pauses import pause_after
from console.series.models import Step
from console.series.retention import RetentionPeriods
from console.workloads.models import Engine

#: Maximum number of rows that one statement deletes, and of days that one pass sums up.
_ROWS: Final = 1000
_DAYS: Final = 60

_KEY: Final = ("org_id", "hour", "account_id")


def forget_accounts(now: datetime) -> int:
    """Sum up and delete expired rows of all organizations; return the number of deleted ones."""
    kept = RetentionPeriods.configured()
    hours, days = hour_of(kept.since(Step.HOUR, now)), hour_of(kept.since(Step.DAY, now))
    forgotten: Counter[int] = Counter()
    for org_id in list(AccountClock.objects.order_by("pk").values_list("pk", flat=True)):
        try:
            rows = _sum_up_days(org_id, hours) + _forget_days(org_id, days)
            _forget_unused(org_id)
        except Engine.DoesNotExist:
            # The organization was deleted meanwhile.
            continue
        forgotten[org_id] = rows
    return record_deletions(Kind.ACCOUNTS, forgotten)


def _sum_up_days(org_id: int, before: int) -> int:
    """Sum up days before the hour *before*, and return the number of deleted hours."""
    forgotten = 0
    for _ in range(_DAYS):
        with pause_after():
            deleted = _sum_up_a_day(org_id, before)
        forgotten += deleted
        if not deleted:
            break
    return forgotten


def _sum_up_a_day(org_id: int, before: int) -> int:
    """Sum up the first day before the hour *before* that has other hours than its first."""
    rows = AccountedHour.objects.filter(org=org_id, hour__lt=before)
    rest = rows.annotate(of_day=F("hour") % DAY).exclude(of_day=0)
    first = rest.aggregate(first=Min("hour"))["first"]
    if first is None:
        return 0
    start = first // DAY * DAY
    with transaction.atomic():
        _lock(org_id)
        day = AccountedHour.objects.filter(org=org_id, hour__gt=start, hour__lt=start + DAY)
        sums = summed(day.values_list("account_id"))
        add_to_rows(
            AccountedHour,
            (*_KEY, "high", "low"),
            [(org_id, start, account, *split(sum_of(*parts))) for account, *parts in sorted(sums)],
            key=_KEY,
            counts=("high", "low"),
        ).run()
        deleted, _ = day.delete()
    return deleted


def _forget_days(org_id: int, before: int) -> int:
    old = AccountedHour.objects.filter(org=org_id, hour__lt=before)
    forgotten = 0
    while True:
        with pause_after():
            keys = list(old.values_list("pk", flat=True)[:_ROWS])
            AccountedHour.objects.filter(pk__in=keys).delete()
        forgotten += len(keys)
        if len(keys) < _ROWS:
            return forgotten


def _forget_unused(org_id: int) -> None:
    """Delete accounts that hold nothing and have no hours."""
    hours = AccountedHour.objects.filter(account=OuterRef("pk"))
    unused = Account.objects.filter(~Exists(hours), org=org_id, held=0)
    while True:
        with pause_after():
            keys = list(unused.values_list("pk", flat=True)[:_ROWS])
            with transaction.atomic():
                _lock(org_id)
                # A batch may have used some of them since.
                unused.filter(pk__in=keys).delete()
        if len(keys) < _ROWS:
            return


def _lock(org_id: int) -> None:
    """Let no batch be written meanwhile; raises Engine.DoesNotExist."""
    Engine.objects.select_for_update(no_key=True).get(pk=org_id)
