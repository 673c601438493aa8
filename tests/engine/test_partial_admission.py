"""Explanations of partial admission: a pending workload is judged by its minimum pod count."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import event, given, note
from hypothesis import strategies as st

from console.engine.disciplines.quota.reasons import EXCEEDS_MAX_QUOTA
from console.engine.explain import headline_of
from console.engine.state import State
from tests.engine.builders import World, pods, queue
from tests.engine.strategies import draws, policies, workloads, worlds
from tests.engine.world_descriptions import policy_lines, workload_line


def waiting(count: int, at_least: int) -> World:
    """Return a queue of 10 CPUs with 9 in use, in which *partial* is pending."""
    world = World(queue("train").owns(cpu=10))
    world.submit("runs", cpu=9).settle()
    partial = pods("workers", count, at_least=at_least, cpu=1)
    world.submit("partial", pod_sets=(partial,)).settle()
    return world


def test_workload_is_pending_for_its_minimum_count() -> None:
    world = waiting(20, 5)
    assert world.outcomes()["partial"] == "pending (waiting_for_quota)"
    trace = world.state.explain("partial")
    assert headline_of(trace) == (
        "Waiting for quota in train: to start with 5 of 20 pods of workers it needs 5 CPUs on any, "
        "1 free now, 4 short; no workload may be preempted for it."
    )
    changes = world.state.take_changes()
    assert changes.classes
    (cls,) = world.state.queues["train"].pending.classes.values()
    assert cls.missing == {("any", "cpu"): 4000}
    world.finish("runs")
    assert world.settle() == ["partial: admitted with 10 workers on any"]


def test_minimum_count_above_the_limit_can_never_run() -> None:
    world = waiting(20, 12)
    assert world.outcomes()["partial"] == "pending (exceeds_max_quota)"
    assert headline_of(world.state.explain("partial")) == (
        "Can never run under this config: even with 12 of 20 pods of workers, it requests 12 "
        "CPUs, but train can never have more than 10 on any. Request at most 10 CPUs, or "
        "have the quota of train raised."
    )


def test_unmatched_workload_does_not_mention_fewer_pods() -> None:
    world = World(queue("train").owns(cpu=10))
    partial = pods("workers", 4, at_least=2, cpu=1, gpu=1)
    world.submit("partial", pod_sets=(partial,))
    world.settle()
    assert "pods" not in headline_of(world.decisions[-1].trace)


@worlds(200)
@given(draw=draws())
def test_explanation_equals_that_of_the_minimum_count(draw: st.DrawFn) -> None:
    policy = draw(policies())
    for line in policy_lines(policy):
        note(line)
    state, smaller = State(policy), State(policy)
    last = draw(st.integers(1, 5))
    for sequence in range(1, last):
        workload = draw(workloads(sequence))
        note(f"submit {workload_line(workload)}")
        for each in (state, smaller):
            each.submit(workload)
            each.settle()
    count = draw(st.integers(2, 6))
    at_least = draw(st.integers(1, count))
    wish = pods("workers", count, at_least=at_least, gpu=draw(st.integers(1, 2)))
    drawn = draw(workloads(last))
    workload = replace(drawn, pod_sets=(*drawn.pod_sets[:-1], wish))
    fewest = replace(wish, count=at_least, min_count=None)
    note(f"submit {workload_line(workload)}")
    state.submit(workload)
    smaller.submit(replace(workload, pod_sets=(*drawn.pod_sets[:-1], fewest)))
    for each in (state, smaller):
        each.settle()
    if workload.id in state.pending and workload.id in smaller.pending:
        mine, theirs = (each.explain(workload.id).outcome.reason for each in (state, smaller))
        never = EXCEEDS_MAX_QUOTA
        assert (mine is never) == (theirs is never)
        event(str(mine))


def test_a_request_without_any_quota_is_not_advised_to_request_less() -> None:
    world = World(queue("train").owns(gpu=0, cpu=4))
    world.submit("huge", gpu=1).settle()
    assert headline_of(world.state.explain("huge")) == (
        "Can never run under this config: it requests 1 GPU, but train can never have more than 0 "
        "on any. Have the quota of train raised."
    )
