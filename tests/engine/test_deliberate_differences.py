"""Deliberate differences from Kueue: the cases that README.md lists."""

from __future__ import annotations

from tests.engine.builders import World, pods, queue


def test_quota_of_a_stopping_workload_is_not_admitted_twice() -> None:
    """Kueue admits *e1* and *e2* in the cycle in which it evicts *v*: usage 7 of 6 (spec 4.4)."""
    world = World(
        queue("a").owns(gpu=4).preempts().within("ml"),
        queue("b").owns(gpu=2).within("ml"),
        queue("c").owns(gpu=0).within("ml"),
    )
    world.submit("v", to="a", gpu=4)
    world.settle()
    world.submit("p", to="a", gpu=3, priority=10).submit("e1", to="b", gpu=2, priority=5)
    world.submit("e2", to="c", gpu=1)
    assert world.settle() == [
        "v: preempted by p",
        "p: waits for v to stop",
        "e1: admitted on any",
        "e2: pending (waiting_for_quota)",
    ]
    assert sum(sum(each.usage.values()) for each in world.state.running.values()) == 6000
    world.release("v")
    settled = world.settle()
    assert "p: admitted on any" in settled
    assert "e2: admitted on any" in settled


def test_pods_count_in_the_target_search() -> None:
    """Kueue chooses *v2* only, and rejects *w* in every cycle for lack of a pod (spec 7.1)."""
    world = World(queue("S").owns(cpu=4, pods=2).preempts())
    world.submit("v1", "v2", to="S", cpu=1)
    world.settle()
    world.submit("w", to="S", pod_sets=(pods("main", 2, cpu=1),), priority=1)
    assert sorted(world.settle()) == [
        "v1: preempted by w",
        "v2: preempted by w",
        "w: waits for v1 and v2 to stop",
    ]
    world.release("v1", "v2")
    assert "w: admitted on any" in world.settle()
