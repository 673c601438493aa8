"""The engine lease: one writer at a time, and writes of a former holder are refused."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.configs.services.apply_config import apply_config
from console.engine.model.decision import Decision as Decided
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads import lease as lease_module
from console.workloads.lease import EngineProgress, Lease, LeaseLostError, leased
from console.workloads.models import Decision, Engine, Intake, Workload
from console.workloads.services.batch import Batch
from console.workloads.services.run_engine import forget_states, run_engine
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission

#: The engine's progress after a batch without changes.
STANDING = EngineProgress(
    config_version=0, is_settled=True, advanced_to=0, wakes_at=None, live={}, ended={}
)


@pytest.fixture(autouse=True)
def _cold() -> Iterator[None]:
    forget_states()
    yield
    forget_states()


def test_only_one_process_holds_a_lease(org: Organization) -> None:
    with leased(org.pk) as first:
        assert first is not None
        with leased(org.pk) as second:
            assert second is None
        first.renew()
    engine = Engine.objects.get(org=org)
    assert (engine.owner, engine.lease_until, engine.fence) == ("", None, 1)


def test_a_silent_owner_loses_it_and_may_not_write(org: Organization) -> None:
    with leased(org.pk) as slow:
        assert slow is not None
        Engine.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        with leased(org.pk) as quick:
            assert quick is not None
            assert quick.fence == slow.fence + 1
            with pytest.raises(LeaseLostError):
                slow.claim_write(0, STANDING)
            with pytest.raises(LeaseLostError):
                slow.renew()
            quick.claim_write(0, STANDING)
        assert Engine.objects.get(org=org).version == 1


def test_a_write_on_an_old_version_is_refused(org: Organization) -> None:
    with leased(org.pk) as lease:
        assert lease is not None
        lease.claim_write(0, STANDING)
        with pytest.raises(LeaseLostError):
            lease.claim_write(0, STANDING)


def test_a_lease_is_renewed_only_when_aged(
    org: Organization, django_assert_num_queries: Any
) -> None:
    with leased(org.pk) as lease:
        assert lease is not None
        with django_assert_num_queries(0):
            lease.renew_if_aged()
        lease.renewed -= 3
        with CaptureQueriesContext(connection) as asked:
            lease.renew_if_aged()
            lease.renew_if_aged()
    written = [each["sql"] for each in asked if each["sql"].startswith("UPDATE")]
    assert len(written) == 1, written


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite always waits.")
def test_only_writes_of_decisions_wait_for_the_disk(org: Organization) -> None:
    def waits() -> str:
        with connection.cursor() as cursor:
            cursor.execute("SHOW synchronous_commit")
            (answer,) = cursor.fetchone()
        return str(answer)

    with connection.cursor() as cursor:
        # Test servers do not wait for the disk.
        cursor.execute("SET synchronous_commit TO on")
    try:
        with transaction.atomic(), leased(org.pk) as lease:
            told = [waits()]
        with leased(org.pk) as lease:
            assert lease is not None
            with transaction.atomic():
                lease.renew()
                told.append(waits())
            with transaction.atomic():
                lease.claim_write(0, STANDING)
                told.append(waits())
        told.append(waits())
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET synchronous_commit")
    assert told == ["off", "off", "on", "on"]


@pytest.mark.every_database
def test_a_lease_uses_the_clock_of_the_database(
    org: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process an hour ahead neither takes a lease too early nor holds one longer."""
    ahead = timezone.now() + timedelta(hours=1)
    with leased(org.pk) as first:
        assert first is not None
        monkeypatch.setattr(timezone, "now", lambda: ahead)
        with leased(org.pk) as second:
            assert second is None
        first.claim_write(0, STANDING)
        until = Engine.objects.get(org=org).lease_until
        assert until is not None
        assert until < ahead - timedelta(minutes=50)


def test_the_lease_of_a_dead_process_is_taken_at_once(org: Organization) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    owner = f"{lease_module._host()}/{dead.pid}/0"
    until = timezone.now() + timedelta(hours=1)
    Engine.objects.update(owner=owner, lease_until=until)
    with leased(org.pk) as lease:
        assert lease is not None
    for alive in (f"{lease_module._host()}/{os.getppid()}/0", "elsewhere/1/0"):
        Engine.objects.update(owner=alive, lease_until=until)
        with leased(org.pk) as lease:
            assert lease is None


def test_a_lease_that_could_not_be_released_is_taken_at_once(
    org: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database was unreachable at the release: the row still names a live process."""

    def away(lease: Lease) -> None:
        raise OperationalError

    holding = leased(org.pk)
    left = holding.__enter__()
    assert left is not None
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Lease, "release", away)
        with pytest.raises(OperationalError):
            holding.__exit__(None, None, None)
    assert Engine.objects.get(org=org).owner == left.owner
    with leased(org.pk) as lease:
        assert lease is not None
        assert lease.fence == left.fence + 1
        with leased(org.pk) as second:
            assert second is None
    with pytest.raises(LeaseLostError):
        left.renew()


def test_a_worker_that_slept_through_its_lease_writes_nothing(
    org: Organization, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    The first worker has decided and is about to write.

    Then its lease ends, another worker decides and writes the same intake, and
    the first one's write is refused as a whole.
    """
    apply_config(owner, "native", "{}", "first", 0)
    submit_workloads(owner, [Submission(name="a", type="job", requests={"gpu": 1000})])
    decide = Batch.decide
    slept: list[int] = []

    def sleepily(batch: Batch, decisions: Iterable[Decided], *told: Any) -> None:
        decide(batch, decisions, *told)
        if not slept:
            slept.append(Engine.objects.get(org=org).fence)
            Engine.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
            forget_states()
            assert run_engine(org.pk).decisions == 1

    monkeypatch.setattr(Batch, "decide", sleepily)
    assert run_engine(org.pk).decisions == 0
    assert list(Decision.objects.values_list("workload__name", "outcome")) == [("a", "admitted")]
    assert Workload.objects.get().reservation == 1
    assert not Intake.objects.exists()
    assert slept == [1]
