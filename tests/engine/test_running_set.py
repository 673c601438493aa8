"""Running workloads keep their order when many of them change their priority at once."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import ClassVar

from console.engine.live.running import Running, RunningSet
from console.engine.model.workload import Workload


class Reservation(int):
    """A number that counts how often it is compared for sorting."""

    compared: ClassVar[int] = 0

    def __lt__(self, other: int) -> bool:
        Reservation.compared += 1
        return int(self) < int(other)


def _running(number: int, priority: int) -> Running:
    return Running(
        workload=Workload(id=f"w{number}", sequence=number),
        queue="q",
        priority=priority,
        assignment=(),
        usage={("spot", "gpu"): 1000},
        reservation=Reservation(number),
        evicting=number % 5 == 0,
    )


def test_many_changed_priorities_are_sorted_once() -> None:
    found = RunningSet()
    members = [_running(number, 1 if number % 2 else 2) for number in range(1000)]
    for each in members:
        found.add(each)
    changed = [each for each in members if each.priority == 1]
    random.Random(7).shuffle(changed)
    Reservation.compared = 0
    for each in changed:
        found.remove(each)
        found.add(replace(each, priority=2))
    assert Reservation.compared == 0
    latest_first = [f"w{number}" for number in reversed(range(1000))]
    assert [each.workload.id for each in found.at(2)] == latest_first
    assert [each.workload.id for each in found.staying_at(2)] == [
        name for name in latest_first if int(name[1:]) % 5
    ]
    once = Reservation.compared
    # A copy, and a further access, find them sorted.
    assert [each.workload.id for each in found.copy().from_lowest()] == latest_first
    assert [each.workload.id for each in found.below(3)] == latest_first
    assert 0 < once == Reservation.compared
    assert found.usage_below(3, ("spot", "gpu")) == 1_000_000
