"""Past usage is a fact: a discipline that reads it receives each new measurement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from console.engine import state as state_module
from console.engine.disciplines.quota.discipline import QuotaDiscipline
from console.engine.live.snapshot import SnapshotBase
from console.engine.model.policy import Policy
from console.engine.model.usage_history import UsageHistory, UsageRange
from console.engine.state import State
from tests.engine.builders import World, queue


def measured(at: int, part: float = 0.5) -> UsageHistory:
    return UsageHistory(measured_at=at, parts={"train": {"gpu": part}})


class Reading(QuotaDiscipline):
    """Quota discipline that reads the usage of the last second."""

    def __init__(self) -> None:
        self.is_reading = True
        self.told: list[tuple[UsageHistory | None, UsageHistory | None]] = []

    def usage_range(self, policy: Policy, now: int) -> UsageRange | None:
        """Return the last second."""
        return UsageRange(since=now - 1000) if self.is_reading else None

    def take_usage(self, state: State, before: UsageHistory | None) -> None:
        """Give every queue a turn."""
        self.told.append((before, state.usage_history))
        for each in state.queues.values():
            state.schedule_requeue(each)


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Iterator[Reading]:
    discipline = Reading()
    monkeypatch.setattr(state_module, "load_discipline", lambda name: discipline)
    return discipline


@pytest.fixture
def state(reading: Reading) -> State:
    """A settled state in which one workload runs and another one waits."""
    world = World(queue("train").owns(gpu=1))
    world.submit("runs", "waits", gpu=1)
    world.settle()
    return world.state


def test_the_discipline_receives_each_measurement(reading: Reading, state: State) -> None:
    assert (state.usage_history, state.reads_usage_history, state.is_settled) == (None, True, True)
    state.change_usage_history(measured(1000))
    assert (state.usage_history, state.is_settled) == (measured(1000), False)
    assert state.settle() == []
    state.change_usage_history(measured(2000))
    assert reading.told == [(None, measured(1000)), (measured(1000), measured(2000))]


def test_an_earlier_measurement_changes_nothing(reading: Reading, state: State) -> None:
    state.change_usage_history(measured(2000))
    state.settle()
    for at in (1000, 2000):
        state.change_usage_history(measured(at, 0.9))
    assert (state.usage_history, state.is_settled) == (measured(2000), True)
    assert len(reading.told) == 1


def test_another_policy_keeps_the_history_only_if_it_reads_it(
    reading: Reading, state: State
) -> None:
    state.change_usage_history(measured(1000))
    state.change_policy(replace(state.policy))
    assert state.usage_history == measured(1000)
    reading.is_reading = False
    state.change_policy(replace(state.policy))
    assert (state.usage_history, state.reads_usage_history) == (None, False)
    state.change_usage_history(measured(2000))
    assert state.usage_history is None
    assert len(reading.told) == 1


def test_a_snapshot_has_the_history_of_its_state(state: State) -> None:
    state.change_usage_history(measured(1000))
    state.settle()
    assert SnapshotBase(state, "train").snapshot().usage_history == measured(1000)


def test_other_disciplines_read_none() -> None:
    state = World(queue("train").owns(gpu=1)).state
    state.change_usage_history(measured(1000))
    assert (state.reads_usage_history, state.usage_history, state.is_settled) == (False, None, True)
