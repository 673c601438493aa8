"""Time and inventory are events: a discipline receives both, and states its next wakeup."""

from __future__ import annotations

from typing import Any

import pytest

from console.engine import state as state_module
from console.engine.disciplines import Progress
from console.engine.disciplines.quota.discipline import QuotaDiscipline
from console.engine.live.live_tree import LiveTree
from console.engine.live.snapshot import SnapshotBase
from console.engine.model.inventory import Cluster, Inventory, Node
from console.engine.state import State
from tests.engine.builders import World, queue

OPENS = 1_000
READY = Inventory(clusters={"west": Cluster(name="west", nodes=(Node(name="n1"),))})


class Gated(QuotaDiscipline):
    """Quota discipline that admits only from `OPENS` on, and only while a cluster is ready."""

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.requeued = 0

    def advance(self, state: State, before: int) -> None:
        """Requeue all queues at the opening time."""
        self.told.append((before, state.now))
        if before < OPENS <= state.now:
            self._stir_all(state)

    def next_wakeup(self, state: State) -> int | None:
        """Return the opening time while a workload is pending before it."""
        return OPENS if state.pending and state.now < OPENS else None

    def take_inventory(self, state: State, before: Inventory) -> None:
        """Requeue all queues."""
        self.told.append((before, state.inventory))
        self._stir_all(state)

    def requeue(self, state: State, tree: LiveTree) -> None:
        """Requeue the tree, and count the calls."""
        self.requeued += 1
        tree.requeue_all()

    def cycle(self, state: State, tree: LiveTree, *, skipping: bool) -> Progress:
        """Decide by quota after the opening time."""
        if not self._is_open(state):
            return Progress.NOTHING
        return super().cycle(state, tree, skipping=skipping)

    def final_pass(self, state: State, tree: LiveTree) -> bool:
        """Admit nothing before the opening time."""
        return self._is_open(state) and super().final_pass(state, tree)

    def _is_open(self, state: State) -> bool:
        clusters = state.inventory.clusters.values()
        return state.now >= OPENS and any(each.is_ready for each in clusters)

    def _stir_all(self, state: State) -> None:
        for each in state.queues.values():
            state.schedule_requeue(each)


@pytest.fixture
def gated(monkeypatch: pytest.MonkeyPatch) -> Gated:
    discipline = Gated()
    monkeypatch.setattr(state_module, "load_discipline", lambda name: discipline)
    return discipline


def test_discipline_receives_time_and_inventory(gated: Gated) -> None:
    world = World(queue("train").owns(gpu=4))
    world.submit("w", gpu=1)
    assert world.settle() == ["w: pending (behind_others)"]
    assert world.state.next_wakeup == OPENS

    world.state.advance(OPENS)
    assert world.settle() == []
    assert world.state.next_wakeup is None

    world.state.change_inventory(READY)
    assert world.settle() == ["w: admitted on any"]
    assert gated.told == [(0, OPENS), (Inventory(), READY)]
    assert gated.requeued == 2


def test_decision_at_the_wakeup_time(gated: Gated) -> None:
    world = World(queue("train").owns(gpu=4))
    world.state.change_inventory(READY)
    world.submit("w", gpu=1)
    assert world.settle() == ["w: pending (behind_others)"]
    world.state.advance(OPENS - 1)
    assert world.settle() == []
    assert world.state.next_wakeup == OPENS
    world.state.advance(OPENS)
    assert world.settle() == ["w: admitted on any"]


def test_time_never_goes_back(gated: Gated) -> None:
    state = World(queue("train").owns(gpu=4)).state
    for now in (5, 3, 5, 9):
        state.advance(now)
    assert state.now == 9
    assert gated.told == [(0, 5), (5, 9)]


def test_wakeup_in_the_past_is_rejected(gated: Gated) -> None:
    state = World(queue("train").owns(gpu=4)).state
    state.advance(7)
    gated.next_wakeup = lambda state: state.now  # type: ignore[method-assign]
    with pytest.raises(AssertionError, match="would repeat"):
        _ = state.next_wakeup


def test_a_state_that_continues_another_one_starts_at_its_time(gated: Gated) -> None:
    world = World(queue("train").owns(gpu=4))
    continued = State(world.policy, now=OPENS)
    assert (continued.now, continued.is_settled, gated.told) == (OPENS, True, [])


def test_a_snapshot_has_the_time_and_the_inventory_of_its_state() -> None:
    world = World(queue("train").owns(gpu=4))
    world.state.advance(OPENS)
    world.state.change_inventory(READY)
    snapshot = SnapshotBase(world.state, "train").snapshot()
    assert (snapshot.now, snapshot.inventory) == (OPENS, READY)


def test_quota_ignores_time_and_inventory() -> None:
    world = World(queue("train").owns(gpu=1))
    world.submit("a", "b", gpu=1)
    assert world.settle() == ["a: admitted on any", "b: pending (waiting_for_quota)"]
    world.state.advance(OPENS)
    world.state.change_inventory(READY)
    assert world.state.is_settled
    assert world.state.next_wakeup is None
    assert world.settle() == []
