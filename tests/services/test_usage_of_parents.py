"""Samples of a tree of queues: a queue above others is recorded with their usage."""

from __future__ import annotations

from console.engine.disciplines.fairshare.spec import POOL
from console.series.sample import StoredState, compute_sample
from console.series.subjects import Subject
from tests.engine.fairshare.live import policy, queue


def test_a_parent_has_the_usage_below_it() -> None:
    tree = policy([queue("top"), queue("middle", "top"), queue("a", "middle"), queue("b", "top")])
    gpu = POOL, "gpu"
    state = StoredState(
        all_running=2,
        all_pending=0,
        used={"a": {gpu: 2000}, "b": {gpu: 1000}},
        running={"a": 1, "b": 1},
        pending={},
        demand={},
    )
    totals = compute_sample(tree, state).totals
    assert {
        name: totals[Subject.queue(name)].cells[gpu].used.total
        for name in ("top", "middle", "a", "b")
    } == {"top": 3000, "middle": 2000, "a": 2000, "b": 1000}
