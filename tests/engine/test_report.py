"""The preemption report agrees with the target search, and counts omitted workloads."""

from __future__ import annotations

from hypothesis import event, given
from hypothesis import strategies as st

from console.engine.disciplines.quota.candidates import Search
from console.engine.disciplines.quota.classical import Candidates
from console.engine.disciplines.quota.fair import candidates_by_node
from console.engine.disciplines.quota.nominate import nominate
from console.engine.disciplines.quota.report import LISTED
from console.engine.disciplines.quota.spec import spec_of
from console.engine.disciplines.quota.trace import CandidateVerdict, PreemptionVerdict, quota_facts
from console.engine.live.live_tree import AnyQueue
from console.engine.model.decision import PodSetAssignment
from console.engine.model.policy import Policy
from console.engine.pending.pending_class import Pending
from console.engine.state import State
from tests.engine.builders import World, policy, queue, workload
from tests.engine.strategies import draws, policies, workloads, worlds

#: Verdicts that only workloads allowed as targets can have.
WITHIN_REACH = {
    CandidateVerdict.TARGET,
    CandidateVerdict.NOT_NEEDED,
    CandidateVerdict.NOT_ENOUGH,
    CandidateVerdict.NOT_WHILE_BORROWING,
    CandidateVerdict.ABOVE_THRESHOLD,
    CandidateVerdict.SHARE_NOT_LARGER,
}


@worlds(75)
@given(draw=draws(), policy=policies(one_tree=True))
def test_reported_targets_are_those_of_the_search(draw: st.DrawFn, policy: Policy) -> None:
    state = State(policy)
    for number in range(1, draw(st.integers(4, 14)) + 1):
        state.submit(draw(workloads(number)))
        if draw(st.booleans()):
            state.settle()
    state.settle()
    # Results after the victims have stopped are not compared.
    for uid, pending in list(state.pending.items()):
        queue = state.queues.get(pending.route.queue or "")
        if queue is None or queue.barrier is not None or pending.route.problem is not None:
            continue
        before = {name: dict(each.account.usage) for name, each in state.queues.items()}
        step = quota_facts(state.explain(uid)).preemption
        assert {name: dict(each.account.usage) for name, each in state.queues.items()} == before
        found = nominate(queue, pending, spec_of(policy).settings)
        targets = {target.running.workload.id for target in found.targets}
        candidates = step.candidates if step is not None else ()
        assert {
            each.workload for each in candidates if each.verdict is CandidateVerdict.TARGET
        } == targets
        if step is None or step.verdict is PreemptionVerdict.NOT_ALLOWED:
            continue
        event(f"{step.verdict.value}, {'fair' if step.strategies else 'classical'}")
        assert len({each.workload for each in candidates}) == len(candidates)
        reach = within_reach(queue, pending, policy)
        for each in candidates:
            if each.verdict is CandidateVerdict.DEPARTING:
                assert each.workload in state.evicting
            elif each.verdict is CandidateVerdict.PRIORITY_NOT_LOWER:
                # These may be allowed as targets, but not for a borrowing preemptor.
                assert each.workload not in reach or each.priority >= pending.priority
            else:
                assert (each.workload in reach) is (each.verdict in WITHIN_REACH), each


def within_reach(queue: AnyQueue, pending: Pending, policy: Policy) -> set[str]:
    """Return the workloads that the search considers as targets for *pending*."""
    found = nominate(queue, pending, spec_of(policy).settings)
    search = Search(
        queue,
        pending.workload.id,
        pending.priority,
        pending.workload.sequence,
        found.usage,
        found.result.short,
    )
    if spec_of(policy).settings.fair_sharing:
        return {
            each.workload.id for offers in candidates_by_node(search).values() for each in offers
        }
    return {each.running.workload.id for each in Candidates(search).sequence()}


def test_omitted_workloads_are_counted() -> None:
    world = World(queue("train").owns(gpu=30).preempts())
    world.submit(*(f"low-{number}" for number in range(30)), gpu=1, priority=1).settle()
    world.submit("high", gpu=2, priority=5).settle()
    step = quota_facts(world.state.explain("high")).preemption
    assert step is not None
    said = [(each.workload, each.verdict.value) for each in step.candidates]
    assert said == [
        ("low-29", "target"),
        ("low-28", "target"),
        *((f"low-{number}", "not_needed") for number in range(27, 9, -1)),
    ]
    assert (len(said), step.more_candidates) == (LISTED, 10)


def test_all_targets_are_listed() -> None:
    world = World(queue("train").owns(gpu=30).preempts())
    world.submit(*(f"low-{number}" for number in range(30)), gpu=1, priority=1).settle()
    world.submit("high", gpu=25, priority=5).settle()
    step = quota_facts(world.state.explain("high")).preemption
    assert step is not None
    assert {each.verdict for each in step.candidates} == {CandidateVerdict.TARGET}
    assert (len(step.candidates), step.more_candidates) == (25, 5)


def test_workloads_loaded_as_a_sum_are_counted() -> None:
    state = State(policy(queue("train").owns(gpu=4).preempts()))
    flavors = (PodSetAssignment(name="main", count=1, flavors={"gpu": "any"}),)
    runs = workload("runs", 1, gpu=1, labels={"queue": "train"})
    state.restore(
        runs, queue="train", priority=3, assignment=flavors, reservation=1, evicting=False
    )
    state.charge("train", {("any", "gpu"): 3000})
    state.queues["train"].summed_up = 3
    state.submit(workload("waits", 2, gpu=1, labels={"queue": "train"}))
    state.settle()
    step = quota_facts(state.explain("waits")).preemption
    assert step is not None
    assert [(each.workload, each.verdict.value) for each in step.candidates] == [
        ("runs", "priority_not_lower")
    ]
    assert step.more_candidates == 3
