"""Running jobs that another policy would not place on their clusters again."""

from __future__ import annotations

from typing import Any

import pytest

from console.engine.disciplines.placement.spec import (
    DEFAULT_PLUGIN,
    FILTER_POLICY_PLUGIN,
    Criterion,
    DeclaredCluster,
    FilterPolicy,
    Placement,
    PluginUse,
    Template,
)
from console.engine.impact.live import live_impact
from console.engine.impact.live_outcomes import LiveOutcome
from console.engine.model.running_outcomes import Loss
from console.engine.state import State
from tests.engine.placement.worlds import cluster, inventory, job, policy

EU = {"filters": [{"name": "eu", "match_labels": {"region": "eu"}}]}
POLICIES = tuple(PluginUse(name=name) for name in (DEFAULT_PLUGIN, FILTER_POLICY_PLUGIN))


def template(region: str) -> dict[str, Any]:
    criterion = Criterion(name="f", labels={"region": region})
    return {"templates": {"t": Template(name="t", placement=Placement(filters=(criterion,)))}}


def running() -> State:
    """Return a state in which four jobs run on the cluster east."""
    state = State(policy(**template("eu")))
    state.change_inventory(inventory([cluster("east", {"cpu": 8}, labels={"region": "eu"})]))
    state.submit(job(1, {"cpu": 1}))
    state.submit(job(2, {"cpu": 1}, placement=EU))
    state.submit(job(3, {"cpu": 1}, placement={"template": "t"}))
    state.submit(job(4, {"cpu": 1}, labels={"team": "a"}))
    state.settle()
    assert set(state.running) == {"w1", "w2", "w3", "w4"}
    return state


@pytest.mark.parametrize(
    ("settings", "lost"),
    [
        (template("eu"), []),
        (template("us"), ["w3"]),
        ({}, ["w3"]),
        (
            template("eu")
            | {"clusters": {"east": DeclaredCluster(name="east", labels={"region": "us"})}},
            ["w2", "w3"],
        ),
        (
            template("eu")
            | {
                "plugins": POLICIES,
                "filter_policies": {
                    "p": FilterPolicy(name="p", job_labels={"team": "a"}, include=("west",))
                },
            },
            ["w4"],
        ),
        (
            template("us") | {"plugins": (PluginUse(name=DEFAULT_PLUGIN),)},
            [],
        ),
    ],
    ids=["same", "template", "no template", "labels", "filter policy", "filters not used"],
)
def test_running_jobs_that_would_not_be_placed_there_again(
    settings: dict[str, Any], lost: list[str]
) -> None:
    impact = live_impact(running(), policy(**settings))
    assert set(impact.groups) <= {LiveOutcome.LOSES_FLAVOR}
    group = impact.groups.get(LiveOutcome.LOSES_FLAVOR)
    found = [(each.workload, each.losses) for each in group.first] if group else []
    assert found == [(uid, (Loss.PLACEMENT,)) for uid in lost]


def test_a_cluster_that_is_gone_is_no_loss_of_the_policy() -> None:
    state = running()
    state.change_inventory(inventory([]))
    assert live_impact(state, policy(**template("us"))).groups == {}
