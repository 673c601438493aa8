"""
Property: the hours of the accounts add up to the time that workloads held their quota.

An organization gets random requests at random times, with losses of the warm state, failed batches,
folds at any time and with clocks years ahead, and batches without accounts. After each batch, what
rows of workloads hold is integrated by a second, simpler computation.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from console.accounting.amounts import HOUR, joined
from console.accounting.models import Account, AccountClock, AccountedHour
from console.accounting.services import account_batch, write_accounts
from console.accounting.services.fold_accounts import due_for_folding, fold_accounts
from console.accounting.services.forget_accounts import forget_accounts
from console.time_formats import milliseconds
from console.workloads.models import Engine, State, Workload
from console.workloads.services import run_engine as run_engine_module
from console.workloads.services.run_engine import forget_states, run_engine
from tests.tasks.test_rebuild_property import World, request

BEGIN = datetime(2026, 3, 14, 21, 17, tzinfo=UTC)

#: (queue, user, project, labels, flavor, resource)
Key = tuple[str, str, str, str, str, str]


class Clock:
    """A clock that tests move."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = BEGIN
        monkeypatch.setattr(timezone, "now", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    monkeypatch.setattr(run_engine_module, "PAUSE", 0)
    forget_states()
    return Clock(monkeypatch)


class Integral:
    """What rows of workloads held, integrated by key and hour."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.used: Counter[tuple[Key, int]] = Counter()
        self.held: Counter[Key] = Counter()
        self.until: int | None = None

    def advance(self, until: int) -> None:
        while self.until is not None and self.until < until:
            hour = self.until // HOUR
            end = min(until, (hour + 1) * HOUR)
            for key, amount in self.held.items():
                self.used[key, hour] += amount * (end - self.until)
            self.until = end
        self.until = until

    def read(self) -> None:
        """Advance to the time of the engine's last batch, and read what runs since."""
        self.advance(Engine.objects.get(org=self.world.org).advanced_to or 0)
        self.held = Counter()
        running = Workload.objects.filter(
            org=self.world.org, state__in=(State.ADMITTED, State.PREEMPTING)
        )
        for row in running.select_related("label_set"):
            labels = json.dumps(row.label_set.labels, sort_keys=True)
            # Each has one pod set of one pod.
            for pod_set in row.assignment:
                for resource, flavor in pod_set["flavors"].items():
                    key = (row.queue or "", row.user, row.project, labels, flavor, resource)
                    self.held[key] += row.requests[resource] * pod_set["count"]


def key_of(account: Account) -> Key:
    labels = json.dumps(account.labels, sort_keys=True)
    return (
        *(account.queue, account.user, account.project, labels),
        *(account.flavor, account.resource),
    )


def counted(world: World) -> dict[tuple[Key, int], int]:
    rows = AccountedHour.objects.filter(org=world.org).select_related("account")
    found = {(key_of(row.account), row.hour): joined(row.high, row.low) for row in rows}
    return {key: amount for key, amount in found.items() if amount}


def held(world: World) -> dict[Key, int]:
    rows = Account.objects.filter(org=world.org).exclude(held=0)
    return {key_of(row): row.held for row in rows}


@pytest.mark.parametrize("seed", range(6))
def test_hours_add_up_to_what_was_held(
    db: None, seed: int, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    monkeypatch.setattr(run_engine_module, "BATCH", chance.choice([1, 3, 1000]))
    monkeypatch.setattr(write_accounts, "_ROWS", chance.choice([1, 50, 500]))
    world = World("here")
    fold_accounts(world.org.pk, clock.now)
    integral = Integral(world)
    integral.read()
    integral.until = milliseconds(clock.now)
    for number in range(60):
        request(chance, number, world)(world)
        clock.now += timedelta(milliseconds=chance.choice([1, 999, 60_000, 1_500_000, 9_000_000]))
        if chance.random() < 0.3:
            # Clocks of machines differ.
            fold_accounts(world.org.pk, clock.now + timedelta(seconds=chance.randint(-900, 900)))
        if chance.random() < 0.1:
            fold_accounts(world.org.pk, clock.now + timedelta(days=chance.randint(1, 999)))
            fold_fully(world, clock)
        if chance.random() < 0.3:
            forget_states()
        if chance.random() < 0.2:
            fail_once(world, monkeypatch)
            integral.read()
        if chance.random() < 0.7:
            run_engine(world.org.pk, seconds=60)
            integral.read()
        assert held(world) == integral.held
    clock.now += timedelta(hours=1)
    fold_fully(world, clock)
    until = AccountClock.objects.get().counted_until
    integral.advance(until)
    assert counted(world) == {key: amount for key, amount in integral.used.items() if amount}
    assert len(integral.used) > 20
    assert not AccountedHour.objects.filter(hour__gt=until // HOUR).exists()


def fold_fully(world: World, clock: Clock) -> None:
    """Fold as the tasks of the next minutes do."""
    while due_for_folding(clock.now):
        fold_accounts(world.org.pk, clock.now)


def fail_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the first batch with changes fail after them, so that nothing of it is written."""
    change_held = account_batch.change_held

    def failing(*arguments: object) -> None:
        change_held(*arguments)
        raise RuntimeError("stopped")

    with monkeypatch.context() as patched:
        patched.setattr(account_batch, "change_held", failing)
        with suppress(RuntimeError):
            run_engine(world.org.pk, seconds=60)


def test_batches_without_accounts_are_noticed(
    db: None, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World("here")
    chance = random.Random(7)
    for number in range(10):
        request(chance, number, world)(world)
    run_engine(world.org.pk, seconds=60)
    # As by a worker of an earlier release.
    request(random.Random(1), 100, world)(world)
    with monkeypatch.context() as patched:
        observers = "console.workloads.services.batch_observers._observers"
        patched.setattr(observers, lambda: ())
        run_engine(world.org.pk, seconds=60)
    clock.now += timedelta(minutes=10)
    fold_accounts(world.org.pk, clock.now)
    integral = Integral(world)
    integral.read()
    assert held(world) == integral.held
    engine = Engine.objects.get(org=world.org)
    assert AccountClock.objects.get().engine_version == engine.version


def test_expired_hours_are_summed_up_by_day_and_expired_days_deleted(
    db: None, clock: Clock, settings
) -> None:
    settings.HOUR_RETENTION_DAYS, settings.DAY_RETENTION_DAYS = 2, 5
    world = World("here")
    for number in range(30):
        request(random.Random(number), number, world)(world)
    for _ in range(9):
        run_engine(world.org.pk, seconds=60)
        clock.now += timedelta(days=1)
        fold_accounts(world.org.pk, clock.now)
    before = counted(world)
    forget_accounts(clock.now)
    now = milliseconds(clock.now) // HOUR
    today = now // 24 * 24
    expected: Counter[tuple[Key, int]] = Counter()
    for (key, hour), amount in before.items():
        if hour >= today - 2 * 24:
            expected[key, hour] += amount
        elif hour >= today - 5 * 24:
            expected[key, hour // 24 * 24] += amount
    assert expected
    assert counted(world) == expected
    forget_accounts(clock.now)
    assert counted(world) == expected


def test_all_unused_accounts_are_deleted_in_one_pass(
    db: None, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.accounting.services.forget_accounts._ROWS", 2)
    world = World("here")
    for number in range(30):
        request(random.Random(number), number, world)(world)
    run_engine(world.org.pk, seconds=60)
    fold_accounts(world.org.pk, clock.now)
    held = set(Account.objects.values_list("pk", flat=True))
    assert held
    fields = {"org": world.org, "queue": "", "project": "", "labels": {}, "flavor": "f"}
    Account.objects.bulk_create(
        Account(**fields, digest=f"{number}", user=f"{number}", resource="gpu")
        for number in range(5)
    )
    forget_accounts(clock.now)
    assert set(Account.objects.values_list("pk", flat=True)) == held
