"""Fit of replicas on one node: the table of accelerators, and exact amounts."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from console.engine.disciplines.placement.fit import (
    amounts_of,
    lacking,
    need_of,
    replicas_that_fit,
)
from console.engine.disciplines.placement.spec import GpuRule
from console.engine.state import State
from tests.engine.placement.worlds import amounts, cluster, inventory, job, policy

_MANY = 1000


@pytest.mark.parametrize(
    ("request_", "node", "as_skyshift", "intended"),
    [
        pytest.param({"gpus": 2}, {"cpu": 8}, _MANY, 0, id="no accelerator"),
        pytest.param({"gpus": 100}, {"gpus": 4}, _MANY, 0, id="more than there are"),
        pytest.param({"gpus": 2}, {"A100": 4}, 0, 2, id="only named"),
        pytest.param({"gpus": 8}, {"A100": 4}, _MANY, 0, id="more than named"),
        pytest.param({"gpus": 2}, {"A100": 4, "gpus": 4}, 2, 4, id="named and generic"),
        pytest.param({"gpus": 2}, {"A100": 4, "gpus": 1}, 0, 2, id="too few generic"),
        pytest.param({"gpus": 2}, {"RTX 2080": 4}, _MANY, 2, id="a name with a space"),
        pytest.param({"A100": 1}, {"A100": 4}, 4, 4, id="a model"),
        pytest.param({"V100": 1}, {"A100": 4}, 0, 0, id="another model"),
        pytest.param({"disk": 10}, {"cpu": 8}, 0, 0, id="no disk"),
        pytest.param({}, {"cpu": 8}, _MANY, _MANY, id="nothing"),
        # In binary fractions, only two replicas fit.
        pytest.param({"cpu": 0.1}, {"cpu": 0.3}, 3, 3, id="thirds"),
        pytest.param({"cpu": 0.1}, {"cpu": 1}, 10, 10, id="tenths"),
        pytest.param({"cpu": 8}, {"cpu": 8}, 1, 1, id="all of it"),
        pytest.param({"cpu": 0, "memory": 0}, {"cpu": 8}, _MANY, _MANY, id="zeros"),
    ],
)
def test_replicas_that_fit_on_one_node(
    request_: Mapping[str, float], node: Mapping[str, float], as_skyshift: int, intended: int
) -> None:
    need, free = need_of(amounts(request_)), amounts(node)
    assert replicas_that_fit(need, free, GpuRule.SKYSHIFT_HEAD, _MANY) == as_skyshift
    assert replicas_that_fit(need, free, GpuRule.INTENDED, _MANY) == intended


def test_generic_requests_count_against_every_model() -> None:
    free = amounts({"cpu": 8, "A100": 4, "gpus": -3})
    assert replicas_that_fit(need_of(amounts({"A100": 1})), free, GpuRule.INTENDED, 9) == 1
    assert replicas_that_fit(need_of(amounts({"gpus": 1})), free, GpuRule.INTENDED, 9) == 1


@pytest.mark.parametrize(
    ("label", "model"),
    [
        ("A100", "A100"),
        ("NVIDIA-A100-SXM4-40GB", "A100"),
        ("Tesla-V100-SXM2-16GB", "V100"),
        ("nvidia-tesla-t4", "T4"),
        ("NVIDIA-L40S", "L40S"),
        ("NVIDIA-GeForce-RTX-2080-Ti", "NVIDIA-GeForce-RTX-2080-Ti"),
    ],
)
def test_model_in_the_label_of_a_node(label: str, model: str) -> None:
    found = amounts_of({"nvidia.com/gpu": 4000}, {"nvidia.com/gpu.product": label})
    assert found == {model: 4000}


@pytest.mark.parametrize("name", ["gpus", "gpu", "gpu:a100", "A100"])
def test_accelerators_of_slurm_are_counted_once(name: str) -> None:
    state = State(policy())
    state.change_inventory(inventory([cluster("a", {"cpu": 8, "gpu": 4, "gpu:a100": 4})]))
    for number in range(1, 4):
        state.submit(job(number, {name: 2}))
    state.settle()
    assert sorted(state.running) == ["w1", "w2"]


@pytest.mark.parametrize("name", ["gpus", "nvidia.com/gpu", "A100"])
def test_accelerators_are_not_used_twice_whatever_their_name(name: str) -> None:
    state = State(policy())
    state.change_inventory(inventory([cluster("a", {"cpu": 8, "A100": 4})]))
    for number in range(1, 4):
        state.submit(job(number, {name: 2}))
    state.settle()
    assert sorted(state.running) == ["w1", "w2"]
    state.finish("w1")
    state.settle()
    assert sorted(state.running) == ["w2", "w3"]


@pytest.mark.parametrize(
    ("request_", "node", "lacks"),
    [
        ({"cpu": 4, "memory": 8}, {"cpu": 1, "memory": 8}, {"cpu": 3}),
        ({"cpu": 4}, {}, {"cpu": 4}),
        ({"cpu": 4}, {"cpu": -2}, {"cpu": 4}),
        ({"gpus": 4}, {"A100": 1, "gpus": 1}, {"gpus": 2}),
        ({"A100": 4}, {"A100": 1}, {"A100": 3}),
        ({"A100": 4}, {"A100": 4, "gpus": -1}, {"gpus": 1}),
        ({"cpu": 4}, {"cpu": 4}, {}),
    ],
)
def test_what_a_node_lacks(
    request_: Mapping[str, float], node: Mapping[str, float], lacks: Mapping[str, float]
) -> None:
    found = lacking(need_of(amounts(request_)), amounts(node), GpuRule.INTENDED)
    assert found == amounts(lacks)
