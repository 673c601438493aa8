"""A query of resource-time reads hours and held quota of one state, while others write."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db import connection

from console.accounting.amounts import HOUR
from console.accounting.models import Account, AccountClock
from console.accounting.queries.accounts import accounts
from console.accounting.services.fold_accounts import fold_accounts
from console.accounting.window import Step, account_window
from console.orgs.services.create_org import create_org
from console.time_formats import milliseconds
from console.workloads.models import Engine
from tests.conftest import member

NOW: Final = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
HELD: Final = 5_000


def test_folds_during_a_query_count_nothing_twice(shared_database: None) -> None:
    org = create_org("here", "Here", owner=None)
    reader = member(org, "viewer")
    Engine.objects.get_or_create(org=org)
    began = milliseconds(NOW) - 30 * HOUR
    AccountClock.objects.create(org=org, engine_version=0, since=began, counted_until=began)
    Account.objects.create(org=org, digest="a", labels={}, resource="gpu", held=HELD)
    folds: list[datetime] = []

    def fold() -> None:
        folds.append(NOW - timedelta(hours=29 - len(folds)))
        try:
            fold_accounts(org.pk, folds[-1])
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:

        def fold_after_reading(execute: Any, sql: str, *arguments: Any) -> Any:
            found = execute(sql, *arguments)
            if sql.startswith("SELECT") and "accounting_" in sql:
                pool.submit(fold).result(timeout=60)
            return found

        window = account_window(None, None, Step.DAY, NOW)
        with connection.execute_wrapper(fold_after_reading):
            found = accounts(reader, "queue", window, NOW)
    assert found.totals == {"gpu": 30 * HELD * HOUR}
    # The folds took place.
    assert AccountClock.objects.get().counted_until == milliseconds(folds[-1])
