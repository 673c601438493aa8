"""A state restored from rows explains every workload before its first cycle."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import event, given, note
from hypothesis import strategies as st

from console.engine.disciplines.quota.spec import with_spec
from console.engine.explain import explain
from console.engine.model.common_reasons import QUEUE_HELD, QUEUE_MISCONFIGURED, QUEUE_STOPPED
from console.engine.model.policy import Policy, StopPolicy
from console.engine.model.selectors import EVERYTHING
from console.engine.model.workload import Workload
from console.engine.routing.local_queues import (
    LocalQueue,
    LocalQueueRouting,
    PriorityClass,
    local_routing_of,
)
from console.engine.routing.reasons import (
    LOCAL_QUEUE_MISSING,
    NAMESPACE_NOT_ALLOWED,
    PRIORITY_CLASS_MISSING,
)
from console.engine.state import State
from tests.engine.builders import only
from tests.engine.rows import Rows
from tests.engine.strategies import draws, policies, workloads, worlds
from tests.engine.world_descriptions import policy_lines, workload_line

NAMESPACES = ("ml", "other")
STOPS = st.sampled_from([StopPolicy.NONE] * 9 + [StopPolicy.HOLD])
WELCOMES = st.sampled_from([EVERYTHING, EVERYTHING, only(team="ml"), None])

#: Reasons that do not depend on quota: they are the same before and after a nomination.
LASTING = frozenset(
    {
        LOCAL_QUEUE_MISSING,
        PRIORITY_CLASS_MISSING,
        NAMESPACE_NOT_ALLOWED,
        QUEUE_MISCONFIGURED,
        QUEUE_STOPPED,
        QUEUE_HELD,
    }
)


def with_local_queues(draw: st.DrawFn, policy: Policy) -> Policy:
    """Return *policy* routed by local queues: one for most queues in each namespace."""
    local = {
        (namespace, name): LocalQueue(namespace=namespace, name=name, queue=name, stop=draw(STOPS))
        for namespace in NAMESPACES
        for name in policy.queues
        if draw(st.integers(0, 9)) < 9
    }
    queues = {
        name: replace(each, namespaces=draw(WELCOMES), stop=draw(STOPS))
        for name, each in policy.queues.items()
    }
    routing = LocalQueueRouting(
        local_queues=local,
        queue_label="queue",
        priority_label="kind",
        namespaces={"ml": {"team": "ml"}},
        priority_classes={"x": PriorityClass(name="x", value=2)},
    )
    return with_spec(replace(policy, routing=routing), queues=queues)


def submitted(draw: st.DrawFn, policy: Policy, sequence: int) -> Workload:
    workload = draw(workloads(sequence))
    if local_routing_of(policy) is not None:
        classes = st.sampled_from([{}, {}, {"kind": "x"}, {"kind": "unknown"}])
        workload = replace(
            workload,
            namespace=draw(st.sampled_from(NAMESPACES)),
            labels={"queue": draw(st.sampled_from(sorted(policy.queues)))} | draw(classes),
        )
    note(f"submit {workload_line(workload)}")
    return workload


@worlds(60)
@given(draw=draws())
def test_restored_workloads_are_explained_before_the_first_cycle(draw: st.DrawFn) -> None:
    policy = draw(policies())
    if draw(st.booleans()):
        policy = with_local_queues(draw, policy)
    for line in policy_lines(policy):
        note(line)
    state, rows = State(policy), Rows()
    if draw(st.integers(0, 4)) == 4:
        held = draw(st.sampled_from(sorted(policy.queues)))
        state.hold(held)
        rows.held.add(held)
    for sequence in range(1, draw(st.integers(2, 8))):
        workload = submitted(draw, policy, sequence)
        rows.submit(workload)
        state.submit(workload)
        if draw(st.booleans()):
            rows.note(state.settle())
    rows.note(state.settle())
    cold = rows.load(policy)
    cold.take_in_arrivals()
    for name in rows.rows:
        trace, settled = cold.explain(name), state.explain(name)
        assert trace.outcome.outcome is settled.outcome.outcome
        if LASTING & {trace.outcome.reason, settled.outcome.reason}:
            assert trace.outcome.reason is settled.outcome.reason
        assert explain(trace).reason is trace.outcome.reason
        event(trace.outcome.reason)
