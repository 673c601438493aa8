"""Sums of resource-time are exact beyond 64 bits, in queries and when days are summed up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from console.accounting.amounts import HOUR, RADIX, hour_of, joined
from console.accounting.models import Account, AccountClock, AccountedHour
from console.accounting.queries.accounts import accounts
from console.accounting.services.forget_accounts import forget_accounts
from console.accounting.window import Step, account_window
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.time_formats import milliseconds
from console.workloads.models import Engine

NOW: Final = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)

pytestmark = pytest.mark.every_database

#: A multiple of RADIX, and a rest of millions of additions.
HIGH: Final = -7
LOW: Final = 9_000_000 * RADIX + 999_999_999_999


@pytest.fixture
def counted(org: Organization) -> int:
    """Count three hours of two accounts of one queue; return the first hour."""
    first = hour_of(NOW) - 5
    Engine.objects.get_or_create(org=org)
    at = milliseconds(NOW)
    AccountClock.objects.create(org=org, engine_version=0, since=first * HOUR, counted_until=at)
    for user in ("ann", "ben"):
        account = Account.objects.create(
            org=org, digest=user, queue="train", user=user, labels={}, resource="memory", held=0
        )
        AccountedHour.objects.bulk_create(
            AccountedHour(org=org, account=account, hour=hour, high=HIGH, low=LOW)
            for hour in range(first, first + 3)
        )
    return first


def test_a_query_adds_up_rests_beyond_64_bits(owner: Actor, counted: int) -> None:
    assert 6 * LOW > 2**63
    window = account_window(None, None, Step.DAY, NOW)
    found = accounts(owner, "queue", window, NOW)
    assert found.totals == {"memory": 6 * joined(HIGH, LOW)}


def test_a_day_adds_up_rests_beyond_64_bits(counted: int, settings) -> None:
    settings.HOUR_RETENTION_DAYS = 2
    forget_accounts(NOW + timedelta(days=10))
    rows = AccountedHour.objects.order_by("account").values_list("hour", "high", "low")
    assert [(hour, joined(high, low)) for hour, high, low in rows] == [
        (counted // 24 * 24, 3 * joined(HIGH, LOW))
    ] * 2
