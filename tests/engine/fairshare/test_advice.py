"""Changes that would start a pending workload, each proven on a copy of the state."""

from __future__ import annotations

import pytest

from console.engine.counterfactual import find_changes
from console.engine.explain.changes import change_sentence
from console.engine.model.policy import Policy
from console.engine.model.workload import Workload
from console.engine.state import State
from tests.engine.fairshare.live import inventory, policy, queue, workload

FIRM = {"priority": 100}


def _advice(
    found: Policy, workloads: list[Workload], gpus: tuple[int, ...], name: str
) -> list[str]:
    state = State(found, now=1)
    state.change_inventory(inventory(*gpus))
    for each in workloads:
        state.submit(each)
    state.settle()
    assert name in state.pending
    before = state.running.keys(), state.pending.keys()
    changes = find_changes(state, name).changes
    assert before == (state.running.keys(), state.pending.keys())
    return [change_sentence(each).text for each in changes]


@pytest.mark.parametrize(
    ("queues", "workloads", "gpus", "advice"),
    [
        pytest.param(
            [queue("lab", limit=2), queue("a", "lab", limit=4)],
            [workload("w1", 1, "a", gpu=2), workload("w2", 2, "a")],
            (4, 4),
            [
                (
                    "Raise the limit of pool/gpu in lab from 2 to 3: it would start now; no other "
                    "workload is affected."
                ),
                "Wait for w1 to end, or finish it: it would then start.",
            ],
            id="a limit above its queue",
        ),
        pytest.param(
            [queue("lab", quota=2), queue("a", "lab", quota=1)],
            [workload("w1", 1, "a", **FIRM), workload("w2", 2, "a", **FIRM)],
            (4, 4),
            [
                (
                    "Raise the quota of pool/gpu in a from 1 to 2: it would start now; no other "
                    "workload is affected."
                ),
                "Wait for w1 to end, or finish it: it would then start.",
            ],
            id="the quota for workloads that cannot be preempted",
        ),
        pytest.param(
            [queue("lab", limit=2), queue("a", "lab", limit=2)],
            [workload("w1", 1, "a", gpu=2), workload("w2", 2, "a")],
            (4, 4),
            ["Wait for w1 to end, or finish it: it would then start."],
            id="no single number helps",
        ),
        pytest.param(
            [queue("a", quota=1)],
            [workload("w1", 1, "a", gpu=3), workload("w2", 2, "a", gpu=2)],
            (4,),
            [
                "Request 1 GPU instead of 2: it would start now.",
                "Wait for w1 to end, or finish it: it would then start.",
            ],
            id="no room on a node",
        ),
        pytest.param(
            [queue("a", quota=2), queue("b", quota=2)],
            [
                *(workload(f"b{n}", n, "b", **FIRM) for n in range(2)),
                *(workload(f"a{n}", 10 + n, "a", **FIRM) for n in range(2)),
                workload("w2", 20, "a"),
            ],
            (4,),
            ["Wait for a1 to end, or finish it: it would then start."],
            id="workloads of its own queue first",
        ),
    ],
)
def test_changes_that_help_are_found(
    queues: list, workloads: list[Workload], gpus: tuple[int, ...], advice: list[str]
) -> None:
    assert _advice(policy(queues), workloads, gpus, "w2") == advice


def test_a_larger_quota_lets_a_queue_reclaim() -> None:
    queues = [queue("a", quota=1, weight=0), queue("b", quota=1, weight=1)]
    workloads = [
        workload("a1", 1, "a"),
        *(workload(f"b{number}", 2 + number, "b") for number in range(3)),
        workload("w2", 9, "a"),
    ]
    assert _advice(policy(queues), workloads, (4,), "w2")[0] == (
        "Raise the quota of pool/gpu in a from 1 to 2: it would start once b2 has been preempted."
    )


def test_a_workload_that_can_never_start_gets_what_would_let_it_start_some_time() -> None:
    busy = [workload("w1", 1, "a", gpu=4), workload("w2", 2, "a", gpu=6)]
    advice = _advice(policy([queue("a", limit=4)]), busy, (6,), "w2")
    assert advice == [
        "Request 4 GPUs instead of 6: it could then start as soon as there is room.",
        (
            "Raise the limit of pool/gpu in a from 4 to 6: it could then start as soon as there is "
            "room."
        ),
    ]
