"""Folds: once an hour, in small transactions, and back after a machine's clock was ahead."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
from django.utils import timezone

from console.accounting.amounts import HOUR, hour_of, joined
from console.accounting.models import Account, AccountClock, AccountedHour
from console.accounting.services import write_accounts
from console.accounting.services.fold_accounts import due_for_folding, fold_accounts
from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.time_formats import milliseconds
from console.workloads.models import Engine
from console.workloads.services.run_engine import forget_states
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission
from tests.usage_sample import CONFIG

BEGIN: Final = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
HELD: Final = 2_000


@pytest.fixture
def holding(org: Organization) -> Organization:
    """An organization whose two accounts hold quota since BEGIN."""
    Engine.objects.get_or_create(org=org)
    at = milliseconds(BEGIN)
    AccountClock.objects.create(org=org, engine_version=0, since=at, counted_until=at)
    Account.objects.bulk_create(
        Account(org=org, digest=user, user=user, labels={}, resource="gpu", held=HELD)
        for user in ("ann", "ben")
    )
    return org


def hours() -> dict[int, list[int]]:
    """Return the amounts of both accounts by hour since BEGIN; rows without use too."""
    found: dict[int, list[int]] = {}
    for row in AccountedHour.objects.order_by("account"):
        found.setdefault(row.hour - hour_of(BEGIN), []).append(joined(row.high, row.low))
    return found


def hours_of_clock() -> float:
    return (AccountClock.objects.get().counted_until - milliseconds(BEGIN)) / HOUR


def full(number: int) -> dict[int, list[int]]:
    return {hour: [HELD * HOUR] * 2 for hour in range(number)}


def test_an_hour_is_counted_when_it_has_ended(holding: Organization) -> None:
    before_end = BEGIN + timedelta(minutes=59, seconds=59)
    assert due_for_folding(before_end) == []
    fold_accounts(holding.pk, before_end)
    assert (hours_of_clock(), hours()) == (0, {})
    later = BEGIN + timedelta(minutes=62)
    assert due_for_folding(later) == [holding.pk]
    fold_accounts(holding.pk, later)
    assert (hours_of_clock(), hours()) == (1, full(1))
    assert due_for_folding(later) == []


def test_a_long_gap_is_counted_in_small_transactions(
    holding: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_accounts, "_ROWS", 4)
    now = BEGIN + timedelta(hours=50)
    fold_accounts(holding.pk, now)
    # Twenty transactions of four rows.
    assert (hours_of_clock(), hours()) == (40, full(40))
    assert due_for_folding(now) == [holding.pk]
    fold_accounts(holding.pk, now)
    assert (hours_of_clock(), hours()) == (50, full(50))
    assert due_for_folding(now) == []


def test_folds_go_back_after_a_clock_was_years_ahead(holding: Organization) -> None:
    fold_accounts(holding.pk, BEGIN + timedelta(hours=3))
    ahead = BEGIN + timedelta(days=2000)
    fold_accounts(holding.pk, ahead)
    assert hours_of_clock() == 48_000
    now = BEGIN + timedelta(hours=4, minutes=7)
    assert due_for_folding(now) == [holding.pk]
    fold_accounts(holding.pk, now)
    assert (hours_of_clock(), hours()) == (4, full(4))
    assert due_for_folding(now) == []


def test_clocks_that_differ_by_minutes_fold_nothing_back(holding: Organization) -> None:
    fold_accounts(holding.pk, BEGIN + timedelta(hours=1))
    late = BEGIN + timedelta(minutes=55)
    assert due_for_folding(late) == []
    fold_accounts(holding.pk, late)
    assert hours_of_clock() == 1


def test_counting_that_begins_in_the_future_begins_now(org: Organization) -> None:
    Engine.objects.get_or_create(org=org)
    fold_accounts(org.pk, BEGIN + timedelta(days=400))
    Account.objects.create(org=org, digest="a", labels={}, resource="gpu", held=HELD)
    fold_accounts(org.pk, BEGIN)
    clock = AccountClock.objects.get()
    assert (clock.since, clock.counted_until) == (milliseconds(BEGIN), milliseconds(BEGIN))
    assert hours() == {}


def test_a_batch_of_a_machine_whose_clock_is_ahead_counts_no_hours(
    owner: Actor, settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [BEGIN]
    monkeypatch.setattr(timezone, "now", lambda: now[0])
    forget_states()
    apply_config(owner, "native", CONFIG, "", 0)
    settle(owner.org)
    now[0] = BEGIN + timedelta(days=400)
    submit_workloads(owner, [Submission(name="a", requests={"gpu": HELD})])
    settle(owner.org)
    assert (AccountedHour.objects.count(), Account.objects.count()) == (0, 0)
    now[0] = BEGIN + timedelta(minutes=30)
    assert due_for_folding(now[0]) == [owner.org.pk]
    fold_accounts(owner.org.pk, now[0])
    submit_workloads(owner, [Submission(name="b", requests={"gpu": HELD})])
    settle(owner.org)
    fold_accounts(owner.org.pk, BEGIN + timedelta(hours=1))
    assert hours() == {0: [HELD * HOUR]}
