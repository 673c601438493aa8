"""Wakeups: the engine stores the time of a discipline's next decision, and the sweep wakes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from console.configs.services.apply_config import apply_config
from console.engine import state as state_module
from console.engine.disciplines import Progress
from console.engine.disciplines.quota.discipline import QuotaDiscipline
from console.engine.live.live_tree import LiveTree
from console.engine.state import State
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.time_formats import milliseconds
from console.workloads import tasks, wakeup
from console.workloads.lease import read_engine_row
from console.workloads.models import Engine, Workload
from console.workloads.services.load_state import load_state
from console.workloads.services.run_engine import forget_states, run_engine
from console.workloads.services.snapshot_state import snapshot_state
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission

Settle = Callable[[Organization], int]

CONFIG = """
resource_flavors: [{name: any}]
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: any, resources: [{name: gpu, nominal_quota: 4}]}]
scheduling_rules: [{resource_queue: train}]
"""

NIGHT = datetime(2026, 1, 31, 20, 0, 0, 250_999, tzinfo=UTC)
MORNING = datetime(2026, 2, 1, 6, tzinfo=UTC)
OPENS = milliseconds(MORNING)


class ByDay(QuotaDiscipline):
    """A quota discipline that admits only from `MORNING` on."""

    def advance(self, state: State, before: int) -> None:
        """Make all queues eligible in the morning."""
        if before < OPENS <= state.now:
            for each in state.queues.values():
                state.schedule_requeue(each)

    def next_wakeup(self, state: State) -> int | None:
        """Return the morning while a workload is pending before it."""
        return OPENS if state.pending and state.now < OPENS else None

    def cycle(self, state: State, tree: LiveTree, *, skipping: bool) -> Progress:
        """Decide like quota by day."""
        if state.now < OPENS:
            return Progress.NOTHING
        return super().cycle(state, tree, skipping=skipping)

    def final_pass(self, state: State, tree: LiveTree) -> bool:
        """Admit nothing by night."""
        return state.now >= OPENS and super().final_pass(state, tree)


class Clock:
    """A process clock that a test sets."""

    def __init__(self) -> None:
        self.now = NIGHT


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(timezone, "now", lambda: found.now)
    return found


@pytest.fixture(autouse=True)
def _cold() -> Iterator[None]:
    forget_states()
    yield
    forget_states()


def times(org: Organization) -> tuple[int | None, int | None]:
    return Engine.objects.values_list("advanced_to", "wakes_at").get(org=org)


def swept(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    sent: list[int] = []
    monkeypatch.setattr(wakeup, "send", sent.append)
    tasks.sweep()
    return sent


@pytest.mark.parametrize("is_warm", [True, False])
def test_an_engine_wakes_at_the_time_that_its_discipline_names(
    org: Organization,
    owner: Actor,
    settle: Settle,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    is_warm: bool,
) -> None:
    monkeypatch.setattr(state_module, "load_discipline", lambda name: ByDay())
    apply_config(owner, "native", CONFIG, "first", 0)
    (row,) = submit_workloads(owner, [Submission(name="w", requests={"gpu": 1000})])
    settle(org)
    assert times(org) == (milliseconds(NIGHT), OPENS)
    assert Workload.objects.get(uid=row.uid).state == "pending"
    assert (read_engine_row(org.pk).has_work, swept(monkeypatch)) == (False, [])

    clock.now = MORNING - timedelta(milliseconds=1)
    assert (read_engine_row(org.pk).has_work, swept(monkeypatch)) == (False, [])
    assert run_engine(org.pk) == (0, False)
    assert times(org) == (milliseconds(NIGHT), OPENS)

    clock.now = MORNING
    assert (read_engine_row(org.pk).has_work, swept(monkeypatch)) == (True, [org.pk])
    if not is_warm:
        forget_states()
    assert run_engine(org.pk) == (1, False)
    assert times(org) == (OPENS, None)
    assert Workload.objects.get(uid=row.uid).state == "admitted"
    assert (read_engine_row(org.pk).has_work, swept(monkeypatch)) == (False, [])


def test_a_reloaded_state_has_the_time_of_the_last_run(
    org: Organization, owner: Actor, settle: Settle, clock: Clock
) -> None:
    apply_config(owner, "native", CONFIG, "first", 0)
    assert load_state(org, 0).now == 0
    settle(org)
    # The quota discipline needs no wakeup.
    assert times(org) == (milliseconds(NIGHT), None)
    clock.now = MORNING
    assert load_state(org, 1).now == milliseconds(NIGHT)
    assert snapshot_state(org)[0].now == milliseconds(NIGHT)


def test_a_slow_clock_does_not_move_time_back(
    org: Organization, owner: Actor, settle: Settle, clock: Clock
) -> None:
    clock.now = MORNING
    apply_config(owner, "native", CONFIG, "first", 0)
    settle(org)
    clock.now = NIGHT
    submit_workloads(owner, [Submission(name="w")])
    settle(org)
    assert times(org) == (OPENS, None)
