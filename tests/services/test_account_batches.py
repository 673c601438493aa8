"""Batches change accounts in a few statements, and never read all running workloads for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.accounting.models import Account, AccountClock
from console.accounting.services.fold_accounts import due_for_folding, fold_accounts
from console.configs.services.apply_config import apply_config
from console.orgs.permissions import Actor
from console.workloads.models import Engine
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission
from tests.usage_sample import CONFIG

Run = Callable[[int], list[str]]


@pytest.fixture
def run(owner: Actor, settle) -> Run:
    """Return a function that submits a workload and returns the statements of its batch."""
    apply_config(owner, "native", CONFIG, "", 0)
    settle(owner.org)

    def submit(gpus: int) -> list[str]:
        submit_workloads(owner, [Submission(name="w", requests={"gpu": gpus * 1000})])
        with CaptureQueriesContext(connection) as queries:
            assert settle(owner.org) == 1
        return [each["sql"] for each in queries]

    submit(1)
    return submit


def kinds(statements: list[str]) -> list[str]:
    """Return the verbs of the statements on tables of accounts."""
    return [each.partition(" ")[0] for each in statements if "accounting_" in each]


def test_a_batch_that_changes_no_quota_advances_the_clock_in_one_statement(run: Run) -> None:
    # More than the quota: it stays pending.
    assert kinds(run(99)) == ["UPDATE"]
    assert AccountClock.objects.get().engine_version == Engine.objects.get().version


def test_a_batch_that_changes_quota_needs_four_statements(run: Run) -> None:
    assert kinds(run(1)) == ["UPDATE", "SELECT", "UPDATE", "INSERT"]
    assert Account.objects.get().held == 2000


def test_accounts_that_lack_a_batch_are_left_to_a_fold(run: Run, owner: Actor) -> None:
    AccountClock.objects.update(engine_version=0)
    assert kinds(run(1)) == ["UPDATE"]
    assert kinds(run(99)) == ["UPDATE"]
    assert Account.objects.get().held == 1000
    assert due_for_folding(timezone.now()) == [owner.org.pk]
    fold_accounts(owner.org.pk, timezone.now())
    assert Account.objects.get().held == 2000
    assert kinds(run(1)) == ["UPDATE", "SELECT", "UPDATE", "INSERT"]
    assert Account.objects.get().held == 3000
