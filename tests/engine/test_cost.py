"""What a decision costs: questions asked of the discipline, not seconds."""

from __future__ import annotations

import pytest

from console.engine.disciplines import Nomination
from console.engine.disciplines.quota import QuotaDiscipline
from console.engine.pending import Pending
from console.engine.state import QueueState, State
from tests.engine.builders import World, queue

CLASSES = 5


@pytest.fixture
def nominations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect who is nominated from here on."""
    asked: list[str] = []
    nominate = QuotaDiscipline.nominate

    def counted(
        self: QuotaDiscipline, state: State, queue: QueueState, pending: Pending
    ) -> Nomination:
        asked.append(pending.workload.id)
        return nominate(self, state, queue, pending)

    monkeypatch.setattr(QuotaDiscipline, "nominate", counted)
    return asked


def crowd(waiting: int) -> World:
    """Fill a queue and let *waiting* others wait in a few classes."""
    world = World(queue("train").owns(gpu=4), queue("serve").owns("s", gpu=1))
    world.submit("a", "b", "c", "d", gpu=1)
    world.settle()
    for kind in range(CLASSES):
        names = [f"w{kind}-{i}" for i in range(waiting // CLASSES)]
        world.submit(*names, gpu=1, priority=kind)
    world.settle()
    return world


@pytest.mark.parametrize("waiting", [100, 10_000])
def test_one_end_asks_once_for_each_class_and_once_for_who_starts(
    waiting: int, nominations: list[str]
) -> None:
    world = crowd(waiting)
    nominations.clear()
    world.finish("a")
    assert len(world.settle()) == 1
    assert len(nominations) == CLASSES + 1


@pytest.mark.parametrize("waiting", [100, 10_000])
def test_one_newcomer_asks_once(waiting: int, nominations: list[str]) -> None:
    world = crowd(waiting)
    nominations.clear()
    world.submit("new", gpu=1)
    assert world.settle() == ["new: pending (waiting_for_quota)"]
    assert len(nominations) == 1


def test_an_end_elsewhere_asks_nobody_here(nominations: list[str]) -> None:
    world = crowd(100)
    world.submit("s", to="serve", gpu=1)
    world.settle()
    nominations.clear()
    world.finish("s").settle()
    assert nominations == []


def test_labels_are_judged_once_for_alike_workloads(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(queue("train").owns(gpu=4))
    world.submit("first", gpu=1)
    world.settle()

    def never(*_: object) -> None:
        pytest.fail("judged again")

    monkeypatch.setattr("console.engine.routing.effective_priority", never)
    world.submit(*(f"w{i}" for i in range(100)), gpu=1)
    assert len(world.settle()) == 100
