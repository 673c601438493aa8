"""Deletion of resource-time: counted for the retention page, beside batches and deleted orgs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db import connection

from console.accounting.amounts import hour_of, time_of_hour
from console.accounting.models import Account, AccountClock, AccountedHour
from console.accounting.services.forget_accounts import forget_accounts
from console.orgs.models import Organization
from console.retention.models import Kind
from console.retention.queries import RetentionStatus, retention_statuses_of
from console.retention.registry import Rows
from console.workloads.models import Engine

NOW: Final = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)


def begin(org: Organization) -> None:
    Engine.objects.get_or_create(org=org)
    AccountClock.objects.create(org=org, engine_version=0, since=0, counted_until=0)


def account(org: Organization, user: str, *days: int) -> Account:
    """Create an account with the first two hours of some days before NOW."""
    found = Account.objects.create(org=org, digest=user, user=user, labels={}, resource="gpu")
    for each in days:
        first = hour_of(NOW - timedelta(days=each)) // 24 * 24
        for hour in (first, first + 1):
            AccountedHour.objects.create(org=org, account=found, hour=hour, high=0, low=7)
    return found


def once_after(part: str, action: Callable[[], Any]) -> Callable[..., Any]:
    """Return a wrapper of database calls that runs *action* after the first query with *part*."""
    left = [action]

    def wrapper(execute: Any, sql: str, *arguments: Any) -> Any:
        found = execute(sql, *arguments)
        if part in sql and left:
            left.pop()()
        return found

    return wrapper


def status(org: Organization) -> RetentionStatus:
    (found,) = (each for each in retention_statuses_of(org.pk) if each.kind is Kind.ACCOUNTS)
    return found


def test_deleted_hours_are_counted_by_organization(
    org: Organization, other_org: Organization, settings
) -> None:
    settings.HOUR_RETENTION_DAYS, settings.DAY_RETENTION_DAYS = 3, 30
    begin(org)
    begin(other_org)
    account(org, "ann", 1, 10, 11, 50)
    account(other_org, "ben", 10)
    before = status(org)
    assert (before.days, before.setting, before.every) == (30, "DAY_RETENTION_DAYS", 600)
    assert before.rows == Rows(
        count=8, oldest=time_of_hour(hour_of(NOW - timedelta(days=50)) // 24 * 24)
    )
    # Of each of three days the second hour, and then the first of the last one.
    assert forget_accounts(NOW) == 4 + 1
    assert (status(org).forgotten, status(other_org).forgotten) == (4, 1)
    assert status(org).rows.count == 4
    assert status(org).looked_at is not None


def test_an_organization_that_is_deleted_meanwhile_is_skipped(
    org: Organization, other_org: Organization, settings
) -> None:
    settings.HOUR_RETENTION_DAYS = 3
    begin(org)
    begin(other_org)
    account(other_org, "ben", 10)
    delete = once_after("accounting_accountclock", org.delete)
    with connection.execute_wrapper(delete):
        assert forget_accounts(NOW) == 1
    assert list(Organization.objects.all()) == [other_org]


def test_an_account_that_is_used_meanwhile_is_kept(org: Organization) -> None:
    begin(org)
    used = account(org, "ann")
    account(org, "ben")
    use = once_after(
        'FROM "accounting_account" ', lambda: Account.objects.filter(pk=used.pk).update(held=1)
    )
    with connection.execute_wrapper(use):
        forget_accounts(NOW)
    assert list(Account.objects.values_list("pk", flat=True)) == [used.pk]


def test_keys_of_unused_accounts_are_found_without_a_lock(org: Organization) -> None:
    begin(org)
    account(org, "ann")
    depths: list[int] = []

    def note_depth(execute: Any, sql: str, *arguments: Any) -> Any:
        if sql.startswith("SELECT") and 'FROM "accounting_account" ' in sql:
            depths.append(len(connection.savepoint_ids))
        return execute(sql, *arguments)

    outside = len(connection.savepoint_ids)
    with connection.execute_wrapper(note_depth):
        forget_accounts(NOW)
    assert depths[0] == outside
