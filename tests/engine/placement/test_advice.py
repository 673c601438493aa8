"""Changes that would let a waiting job start, each tried on a copy of the state."""

from __future__ import annotations

import pytest

from console.engine.counterfactual import find_changes
from console.engine.explain.changes import change_sentence
from console.engine.model.workload import Workload
from console.engine.state import State
from tests.engine.placement.worlds import cluster, inventory, job, policy


@pytest.mark.parametrize(
    ("waiting", "changes"),
    [
        (job(1, {"cpu": 9}), ["Request 8 CPUs instead of 9: it would start now."]),
        (
            job(1, {"cpu": 3}, replicas=5),
            [
                "Request 2 CPUs instead of 3 for each pod of pod set main: it would start now.",
                "Request 3 pods instead of 5: it would start now.",
            ],
        ),
        (
            job(
                1,
                {"cpu": 1},
                placement={"filters": [{"name": "a", "match_labels": {"purpose": "prod"}}]},
            ),
            [],
        ),
    ],
)
def test_smaller_requests_that_fit_are_found(waiting: Workload, changes: list[str]) -> None:
    state = State(policy())
    state.change_inventory(
        inventory([cluster("a", {"cpu": 8}, {"cpu": 4}, labels={"purpose": "dev"})])
    )
    state.submit(waiting)
    state.settle()
    found = find_changes(state, waiting.id)
    assert [change_sentence(each).text for each in found.changes] == changes
