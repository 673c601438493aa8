"""Demand of queues: workloads that can never run are counted apart, and each exactly once."""

from __future__ import annotations

from collections import Counter, defaultdict

from hypothesis import given

from console.engine.disciplines import load_discipline
from console.engine.model.common_reasons import WAITING_FOR_PREEMPTED
from console.engine.model.reasons import registered_reasons
from console.engine.state import State
from console.workloads.queries.demand import Demand, cannot_run_count, cannot_run_reasons
from tests.engine.builders import World, queue
from tests.engine.strategies import draws, policies, workloads, worlds

#: Number of workloads in a random world, so that several queues have several classes.
MOST = 12


def demand_of(state: State) -> dict[str, Demand]:
    """Return the demand of the classes in *state* by queue, in the format of rows."""
    found: defaultdict[str, Demand] = defaultdict(Demand)
    for name, of_queue in state.queues.items():
        for cls in of_queue.pending.classes.values():
            assert cls.verdict is not None
            found[name].add(cls.verdict.reason, cls.head.workload.total(), len(cls))
        for preemptor in of_queue.preemptors.values():
            asked = preemptor.pending.workload.total()
            found[name].add(WAITING_FOR_PREEMPTED, asked, 1)
    return found


@given(draw=draws())
@worlds(150)
def test_demand_and_what_can_never_run_are_all_that_pending_work_asks_for(draw) -> None:
    policy = draw(policies())
    state = State(policy)
    for sequence in range(1, MOST + 1):
        state.submit(draw(workloads(sequence)))
    state.settle()
    asked: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for pending in state.pending.values():
        if pending.route.queue is not None:
            asked[pending.route.queue].update(pending.workload.total())
    used = {name: state.usage(name) for name in state.queues}
    capacity = load_discipline(policy.discipline).capacity(policy, used)
    for name, demand in demand_of(state).items():
        both = demand.wanted + demand.cannot_run
        assert both == +asked[name]
        usages = capacity.queue_nodes(name, demand.wanted, demand.cannot_run)
        for usage in usages:
            # Stored once per resource, at the first flavor.
            of_resource = [each for each in usages if each.resource == usage.resource]
            assert sum(each.demand for each in of_resource) == demand.wanted[usage.resource]
            never = sum(each.cannot_run_demand for each in of_resource)
            assert never == demand.cannot_run[usage.resource]


@given(draw=draws())
@worlds(150)
def test_positions_number_those_that_could_run_without_a_gap(draw) -> None:
    state = State(draw(policies()))
    for sequence in range(1, MOST + 1):
        state.submit(draw(workloads(sequence)))
    state.settle()
    for of_queue in state.queues.values():
        pending_queue = of_queue.pending
        places = [
            (pending.place, pending_queue.position(pending), cls.cannot_run)
            for cls in pending_queue.classes.values()
            for pending in cls
        ]
        runnable = [position for _, position, never in sorted(places) if not never]
        assert runnable == list(range(1, len(runnable) + 1))
        assert all(position is None for _, position, never in places if never)
        assert pending_queue.cannot_run() == len(pending_queue) - len(runnable)


def test_every_reason_that_only_another_config_ends_counts_apart() -> None:
    reasons = dict.fromkeys(registered_reasons(), 2)
    assert cannot_run_count(reasons) == 2 * len(cannot_run_reasons()) == 40


def test_another_version_makes_it_eligible_again() -> None:
    world = World(queue("train").owns(gpu=8))
    world.submit("huge", gpu=500).submit("run", gpu=8).submit("next", gpu=4)
    world.settle()
    pending_queue = world.state.queues["train"].pending
    huge, following = world.state.pending["huge"], world.state.pending["next"]
    assert (
        pending_queue.position(huge),
        pending_queue.position(following),
        pending_queue.cannot_run(),
    ) == (None, 1, 1)
    world.state.change_policy(World(queue("train").owns(gpu=600)).state.policy)
    world.state.finish("run")
    world.settle()
    # Both run now, so no pending workload can never run.
    assert world.state.queues["train"].pending.cannot_run() == 0
