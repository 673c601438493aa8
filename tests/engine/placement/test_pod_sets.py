"""Jobs of several pod sets, and filter policies."""

from __future__ import annotations

import pytest

from console.engine.disciplines.placement.spec import (
    FILTER_POLICY_PLUGIN,
    STANDARD_PLUGINS,
    FilterPolicy,
    PluginUse,
)
from console.engine.model.workload import PodSet, Workload
from console.engine.state import State
from tests.engine.placement.worlds import amounts, cluster, inventory, job, policy


def _two(number: int, driver: int, worker: int, workers: int) -> Workload:
    """Return a job of one driver and some workers with these numbers of CPUs."""
    return Workload(
        id=f"w{number}",
        sequence=number,
        pod_sets=(
            PodSet(name="driver", requests=amounts({"cpu": driver})),
            PodSet(name="worker", count=workers, requests=amounts({"cpu": worker})),
        ),
    )


def _state() -> State:
    state = State(policy())
    state.change_inventory(inventory([cluster("a", {"cpu": 4}, {"cpu": 4})]))
    return state


def test_pod_sets_are_placed_one_after_the_other() -> None:
    state = _state()
    state.submit(_two(1, 3, 1, 3))
    (decision,) = state.settle()
    assert [
        (each.name, [(place.node, place.count) for place in each.places])
        for each in decision.assignment
    ] == [("driver", [("n1", 1)]), ("worker", [("n1", 1), ("n2", 2)])]


def test_all_pod_sets_are_placed_or_none() -> None:
    state = _state()
    state.submit(_two(1, 3, 2, 3))
    state.submit(job(2, {"cpu": 4}, replicas=2))
    state.settle()
    # What was tried for the first job is free again for the second.
    assert (list(state.pending), list(state.running)) == (["w1"], ["w2"])
    assert dict(state.usage("jobs")) == {("a", "cpu"): 8000}


@pytest.mark.parametrize(
    ("labels", "listed", "places"),
    [
        ({"team": "x"}, True, ["b"]),
        ({"team": "y"}, True, ["a"]),
        ({}, True, ["a"]),
        ({"team": "x"}, False, ["a"]),
    ],
)
def test_filter_policies_apply_to_jobs_with_their_labels(
    labels: dict[str, str], listed: bool, places: list[str]
) -> None:
    only_b = FilterPolicy(name="p", job_labels={"team": "x"}, include=("b", "c"), exclude=("c",))
    plugins = (*STANDARD_PLUGINS, PluginUse(name=FILTER_POLICY_PLUGIN))
    state = State(
        policy(filter_policies={"p": only_b}, plugins=plugins if listed else STANDARD_PLUGINS)
    )
    state.change_inventory(
        inventory(cluster(name, {"cpu": cpus}) for name, cpus in (("a", 9), ("b", 4), ("c", 8)))
    )
    state.submit(job(1, {"cpu": 1}, labels=labels))
    (decision,) = state.settle()
    assert [place.cluster for each in decision.assignment for place in each.places] == places
