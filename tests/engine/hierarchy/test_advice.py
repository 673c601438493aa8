"""Changes that would start a pending workload, each proven on a copy of the state."""

from __future__ import annotations

import pytest

from console.engine.counterfactual import find_changes
from console.engine.explain.changes import change_sentence
from console.engine.model.workload import Workload
from tests.engine.hierarchy.configs import compiled, settled, workload

CONFIG = """\
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: lab
            QUEUE
"""


def _advice(queue: str, nodes: tuple[int, ...], *workloads: Workload) -> list[str]:
    state = settled(compiled(CONFIG.replace("QUEUE", queue)), nodes, *workloads)
    assert "late" in state.pending
    before = state.running.keys(), state.pending.keys()
    changes = find_changes(state, "late").changes
    assert before == (state.running.keys(), state.pending.keys())
    return [change_sentence(each).text for each in changes]


@pytest.mark.parametrize(
    ("queue", "change"),
    [
        pytest.param(
            "resources: {max: {vcore: 3}}",
            "Raise the maximum of pool/vcore in root.lab from 3 to 4",
            id="the maximum of its queue",
        ),
        pytest.param(
            "maxapplications: 1",
            "Raise the maximum of applications in root.lab from 1 to 2",
            id="the number of applications",
        ),
        pytest.param(
            "limits: [{limit: x, users: [sue], maxresources: {vcore: 3}}]",
            "Raise the limit of pool/vcore for user sue in root.lab from 3 to 4",
            id="the limit of a user",
        ),
        pytest.param(
            'limits: [{limit: x, users: ["*"], maxresources: {vcore: 3}}]',
            "Raise the limit of pool/vcore for every other user in root.lab from 3 to 4",
            id="the limit of every other user",
        ),
        pytest.param(
            "limits: [{limit: x, groups: [team], maxapplications: 1}]",
            "Raise the limit of applications for group team in root.lab from 1 to 2",
            id="the number of applications of a group",
        ),
    ],
)
def test_the_number_that_refuses_is_raised(queue: str, change: str) -> None:
    first = workload("first", 1, "root.lab", cpu=2)
    late = workload("late", 2, "root.lab", cpu=2)
    found = _advice(queue, (8,), first, late)
    assert f"{change}: it would start now; no other workload is affected." in found
    assert "Wait for first to end, or finish it: it would then start." in found


def test_without_room_only_the_end_of_a_workload_helps() -> None:
    first = workload("first", 1, "root.lab", cpu=2)
    late = workload("late", 2, "root.lab", cpu=2)
    assert _advice("maxapplications: 5", (3,), first, late) == [
        "Request 1 CPU instead of 2: it would start now.",
        "Wait for first to end, or finish it: it would then start.",
    ]
