"""The usage history in rows: measured each minute, applied by the engine, known after a load."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from celery import current_app
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.capacity.services.report_cluster import report_cluster
from console.celery import BACKGROUND
from console.configs.services.apply_config import apply_config
from console.engine import state as state_module
from console.engine.disciplines.quota.discipline import QuotaDiscipline
from console.engine.model.policy import Policy
from console.engine.model.usage_history import RecordedUsage, UsageHistory, UsageRange
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.series import tasks
from console.series.coverage import floor_minute
from console.series.services import measure_usage as measuring
from console.series.services.measure_usage import due_for_measuring, measure_usage
from console.series.services.sample_org import sample_org
from console.series.services.sample_orgs import sample_orgs
from console.time_formats import milliseconds
from console.workloads import models
from console.workloads.models import Intake
from console.workloads.services import run_engine as running
from console.workloads.services.load_state import load_state
from console.workloads.services.snapshot_state import snapshot_state
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.services.write_intake import write_intake
from console.workloads.submissions import Submission

Settle = Callable[[Organization], int]

MINUTE = timedelta(minutes=1)

CONFIG = """
resource_flavors: [{name: any}]
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: any, resources: [{name: gpu, nominal_quota: 4}]}]
scheduling_rules: [{resource_queue: train}]
"""


class Measured(QuotaDiscipline):
    """A quota discipline that reads usage while the policy has a queue with the name train."""

    def usage_range(self, policy: Policy, now: int) -> UsageRange | None:
        """Return the last hour."""
        return UsageRange(since=now - 3_600_000) if "train" in policy.queues else None

    def measure_usage(
        self, policy: Policy, now: int, recorded: Iterable[RecordedUsage]
    ) -> dict[str, dict[str, float]]:
        """Return the part of the GPUs of all clusters."""
        spans = [each for each in recorded if each.end <= now]
        offered = sum(each.offered.get(("east", "gpu"), 0) for each in spans)
        used = sum(each.used.get("train", {}).get(("any", "gpu"), 0) for each in spans)
        return {"train": {"gpu": used / offered}} if offered else {}


@pytest.fixture(autouse=True)
def _cold() -> Iterator[None]:
    running.forget_states()
    yield
    running.forget_states()


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (state_module, measuring):
        monkeypatch.setattr(module, "load_discipline", lambda name: Measured())


@pytest.fixture
def begin(measured: None, owner: Actor, settle: Settle) -> datetime:
    """The minute of the first of three samples of 0, 1 and 1 used GPUs of 3."""
    org = owner.org
    begin = floor_minute(timezone.now()) - 3 * MINUTE
    apply_config(owner, "native", CONFIG, "", 0)
    report_cluster(owner, "east", {"nodes": [{"name": "n", "allocatable": {"gpu": 3}}]})
    settle(org)
    sample(org, begin)
    submit_workloads(owner, [Submission(name="w", requests={"gpu": 1000})])
    settle(org)
    sample(org, begin + MINUTE)
    sample(org, begin + 2 * MINUTE)
    return begin


def sample(org: Organization, minute: datetime) -> None:
    if org.pk in sample_orgs(minute):
        assert sample_org(org.pk, minute)


def history(at: datetime, part: float) -> UsageHistory:
    parts = {"train": {"gpu": part}} if part else {}
    return UsageHistory(measured_at=milliseconds(at), parts=parts)


def known(org: Organization) -> UsageHistory | None:
    """Return the history that the engine knows; memory, rows and a snapshot have to agree."""
    warm = running._warm.get(org.pk)
    assert warm is not None
    states = warm.state, load_state(org, warm.config_version), snapshot_state(org)[0]
    found = [each.usage_history for each in states]
    assert found[0] == found[1] == found[2]
    return found[0]


def rows() -> list[tuple[Any, ...]]:
    return list(models.UsageHistory.objects.values_list("org", "measured_at", "parts"))


def test_a_measurement_reaches_the_engine_and_outlasts_a_restart(
    org: Organization, settle: Settle, begin: datetime
) -> None:
    assert (rows(), known(org)) == ([(org.pk, None, {})], None)
    now = begin + 3 * MINUTE
    assert due_for_measuring(now) == [org.pk]
    assert measure_usage(org.pk, now + timedelta(seconds=59))
    assert settle(org) == 0
    # One GPU of three in two of three minutes.
    assert known(org) == history(now, 2 / 9)
    running.forget_states()
    write_intake(org.pk, Intake.Kind.CAPACITY, {"cluster": "east"})
    settle(org)
    assert known(org) == history(now, 2 / 9)


def test_the_clock_measures_after_sampling(
    org: Organization, settle: Settle, begin: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = begin + 3 * MINUTE
    sent: list[tuple[str, int, str]] = []

    def send(name: str, args: list[int], queue: str, expires: int) -> None:
        sent.append((name.rpartition(".")[2], args[0], queue))
        getattr(tasks, sent[-1][0])(*args)

    monkeypatch.setattr(tasks.timezone, "now", lambda: now)
    monkeypatch.setattr(current_app, "send_task", send)
    tasks.sample()
    settle(org)
    tasks.sample()
    # In the first minute of an hour, it is also sampled.
    assert [each for each in sent if each[0] != "sample_one"] == [
        ("measure_one", org.pk, BACKGROUND)
    ]
    assert known(org) == history(now, 2 / 9)


def test_a_minute_is_measured_once(org: Organization, settle: Settle, begin: datetime) -> None:
    now = begin + 3 * MINUTE
    assert measure_usage(org.pk, now)
    assert not measure_usage(org.pk, now)
    settle(org)
    assert due_for_measuring(now + timedelta(seconds=59)) == []
    assert not measure_usage(org.pk, now)
    assert not measure_usage(org.pk, now - MINUTE)
    assert due_for_measuring(now + MINUTE) == [org.pk]


def test_a_measurement_that_waits_is_replaced_by_the_next_one(
    org: Organization, settle: Settle, begin: datetime
) -> None:
    assert measure_usage(org.pk, begin + MINUTE)
    assert measure_usage(org.pk, begin + 2 * MINUTE)
    assert Intake.objects.filter(kind=Intake.Kind.USAGE).count() == 1
    settle(org)
    assert known(org) == history(begin + 2 * MINUTE, 1 / 6)


def test_a_policy_that_reads_no_history_has_no_row(
    org: Organization, owner: Actor, settle: Settle, begin: datetime
) -> None:
    measure_usage(org.pk, begin + 2 * MINUTE)
    settle(org)
    assert [row[0] for row in rows()] == [org.pk]
    measure_usage(org.pk, begin + 3 * MINUTE)
    other = CONFIG.replace("train", "other")
    apply_config(owner, "native", other, "", 1)
    settle(org)
    assert (rows(), known(org), due_for_measuring(begin + 9 * MINUTE)) == ([], None, [])
    assert not measure_usage(org.pk, begin + 4 * MINUTE)
    assert not Intake.objects.exists()
    # A measurement for the former policy may arrive late.
    late = {"measured_at": milliseconds(begin + 4 * MINUTE), "parts": {}}
    write_intake(org.pk, Intake.Kind.USAGE, late)
    settle(org)
    assert (rows(), known(org)) == ([], None)
    apply_config(owner, "native", CONFIG, "", 2)
    settle(org)
    assert (rows(), known(org)) == ([(org.pk, None, {})], None)


def test_others_pay_nothing(org: Organization, owner: Actor, settle: Settle) -> None:
    with CaptureQueriesContext(connection) as queries:
        apply_config(owner, "native", CONFIG, "", 0)
        submit_workloads(owner, [Submission(name="w", requests={"gpu": 1000})])
        settle(org)
        running.forget_states()
        submit_workloads(owner, [Submission(name="x", requests={"gpu": 1000})])
        settle(org)
    table = models.UsageHistory._meta.db_table
    assert [query["sql"] for query in queries if table in query["sql"]] == []
    assert due_for_measuring(timezone.now()) == []
