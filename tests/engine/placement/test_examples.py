"""The worked examples of one job over clusters of different sizes and labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest

from console.engine.disciplines.placement.spec import GpuRule, OnUnplaceable, Rank, Reserve
from console.engine.disciplines.placement.trace import ClusterStage, facts_of
from console.engine.explain import explain
from console.engine.model.decision import Decision, Outcome
from console.engine.model.stored_trace import trace_from_json, trace_to_json
from console.engine.state import State
from tests.engine.placement.worlds import cluster, inventory, job, policy

#: The values of all settings with which SkyShift is reproduced.
AS_SKYSHIFT: Final[Mapping[str, Any]] = {
    "on_unplaceable": OnUnplaceable.FAIL,
    "reserve": Reserve.NONE,
    "gpu_rule": GpuRule.SKYSHIFT_HEAD,
    "rank": Rank.PRODUCT,
}

_LABELS: Final[Mapping[str, Mapping[str, str]]] = {
    "D1": {"sky-cluster-name": "mycluster-dev-1", "purpose": "dev", "location": "us"},
    "NA": {"purpose": "dev", "location": "na"},
    "US": {"purpose": "dev", "location": "us"},
    "EU": {"purpose": "dev", "location": "eu"},
    "SU": {"purpose": "staging", "location": "us"},
    "SA": {"purpose": "staging", "location": "ap"},
    "PROD": {"purpose": "prod"},
    "NOWHERE": {"purpose": "dev"},
    "D1-EU": {"sky-cluster-name": "mycluster-dev-1", "purpose": "dev", "location": "eu"},
    "NAMED": {"sky-cluster-name": "mycluster-dev-1"},
    "STAGING": {"purpose": "staging"},
}


def _expression(key: str, operator: str, *values: str) -> dict[str, object]:
    return {"key": key, "operator": operator, "values": list(values)}


MY_JOB: Final = {
    "filters": [
        {
            "name": "filter-1",
            "match_labels": {"purpose": "dev"},
            "match_expressions": [_expression("location", "NotIn", "eu")],
        },
        {
            "name": "filter-2",
            "match_labels": {"purpose": "staging"},
            "match_expressions": [_expression("location", "NotIn", "ap", "eu")],
        },
    ],
    "preferences": [
        {
            "name": "pref-1",
            "match_labels": {"sky-cluster-name": "mycluster-dev-1"},
            "weight": 100,
        },
        {
            "name": "pref-2",
            "match_labels": {"purpose": "dev"},
            "match_expressions": [_expression("location", "In", "na")],
            "weight": 50,
        },
        {"name": "pref-3", "match_labels": {"purpose": "dev"}, "weight": 25},
    ],
}


def _place(
    sizes: Mapping[str, float],
    *,
    request: Mapping[str, float] | None = None,
    replicas: int = 1,
    memory: Mapping[str, float] | None = None,
    away: tuple[str, ...] = (),
    placement: Mapping[str, object] = MY_JOB,
    labels: Mapping[str, Mapping[str, str]] = _LABELS,
    settings: Mapping[str, Any] = AS_SKYSHIFT,
) -> Decision:
    """Return the decision about one job on clusters of one node with these numbers of CPUs."""
    state = State(policy(**settings))
    state.change_inventory(
        inventory(
            cluster(
                name,
                {"cpu": cpus, "memory": (memory or {}).get(name, 262144)},
                labels=labels.get(name, {}),
                is_ready=name not in away,
            )
            for name, cpus in sizes.items()
        )
    )
    state.submit(
        job(1, request or {"cpu": 1, "memory": 131072}, replicas=replicas, placement=placement)
    )
    (decision,) = state.settle()
    return decision


def _ranked(decision: Decision) -> dict[str, float]:
    """Return the scores of the clusters that remain, the best one first."""
    (pod_set,) = facts_of(decision.trace).pod_sets
    return {
        each.cluster: each.score * each.weight * 100 / pod_set.largest_weight / 1000
        for each in pod_set.kept
    }


def _replicas(decision: Decision) -> dict[str, int]:
    return {
        place.cluster or "": place.count for each in decision.assignment for place in each.places
    }


def _removed(decision: Decision) -> dict[str, str]:
    (pod_set,) = facts_of(decision.trace).pod_sets
    return {
        each.cluster: each.stage for each in pod_set.clusters if each.stage is not ClusterStage.KEPT
    }


_EQUAL: Final = {"SU": 8, "US": 8, "NA": 8, "D1": 8, "EU": 8, "SA": 8}


@pytest.mark.parametrize(
    ("case", "ranked", "replicas"),
    [
        pytest.param(
            {"sizes": _EQUAL}, {"D1": 800, "NA": 400, "US": 200, "SU": 8}, {"D1": 1}, id="M1"
        ),
        pytest.param(
            {"sizes": _EQUAL, "memory": {"D1": 100000}},
            {"NA": 400, "US": 200, "SU": 8},
            {"NA": 1},
            id="M2",
        ),
        pytest.param({"sizes": {"EU": 8, "SA": 8}}, {}, {}, id="M3"),
        pytest.param({"sizes": {"PROD": 8}}, {}, {}, id="M4"),
        pytest.param(
            {"sizes": {"D1": 4, "NA": 16, "US": 8, "SU": 96, "NOWHERE": 2}},
            {"NA": 800, "D1": 400, "US": 200, "SU": 96, "NOWHERE": 50},
            {"NA": 1},
            id="M5",
        ),
        pytest.param(
            {"sizes": {"NA": 32, "US": 8}, "away": ("NA",)}, {"US": 200}, {"US": 1}, id="M6"
        ),
        pytest.param({"sizes": {"D1": 8, "SU": 900}}, {"SU": 900, "D1": 800}, {"SU": 1}, id="M7"),
        pytest.param({"sizes": {"D1-EU": 8, "US": 8}}, {"US": 200}, {"US": 1}, id="M8"),
        pytest.param({"sizes": {"NAMED": 8, "US": 8}}, {"US": 200}, {"US": 1}, id="M9"),
        pytest.param(
            {"sizes": {"NOWHERE": 8, "STAGING": 8}},
            {"NOWHERE": 200, "STAGING": 8},
            {"NOWHERE": 1},
            id="M10",
        ),
        pytest.param(
            {
                "sizes": {"D1": 4, "NA": 6, "US": 8},
                "request": {"cpu": 2, "memory": 128},
                "replicas": 6,
            },
            {"D1": 400, "NA": 300, "US": 200},
            {"D1": 2, "NA": 3, "US": 1},
            id="M11",
        ),
        pytest.param(
            {
                "sizes": {"D1": 4, "NA": 6, "US": 8},
                "request": {"cpu": 2, "memory": 128},
                "replicas": 10,
            },
            {"D1": 400, "NA": 300, "US": 200},
            {},
            id="M12",
        ),
    ],
)
def test_my_job(case: Any, ranked: dict[str, float], replicas: dict[str, int]) -> None:
    decision = _place(**case)
    assert list(_ranked(decision).items()) == list(ranked.items())
    assert _replicas(decision) == replicas
    assert decision.outcome is (Outcome.ADMITTED if replicas else Outcome.REJECTED)


def test_stages_that_remove_clusters() -> None:
    decision = _place({**_EQUAL, "AWAY": 8}, memory={"D1": 100000}, away=("AWAY",))
    assert _removed(decision) == {
        "D1": "capacity",
        "EU": "affinity",
        "SA": "affinity",
        "AWAY": "not_ready",
    }


def test_preferred_cluster_precedes_a_large_one_by_default() -> None:
    decision = _place({"D1": 8, "SU": 900}, settings={})
    assert list(_ranked(decision)) == ["D1", "SU"]
    assert _replicas(decision) == {"D1": 1}


def _warnings(decision: Decision) -> list[str]:
    told = explain(decision.trace)
    return [
        each.text
        for stage in told.stages
        for each in stage.sentences
        if each.text.startswith("The job prefers")
    ]


@pytest.mark.parametrize(
    ("sizes", "by", "products"),
    [
        pytest.param(
            {"D1": 4, "NA": 16, "US": 8, "SU": 96, "NOWHERE": 2}, "NA", (800, 400), id="M5"
        ),
        pytest.param({"D1": 8, "SU": 900}, "SU", (900, 800), id="M7"),
    ],
)
def test_preferred_cluster_behind_a_large_one_is_told(
    sizes: dict[str, int], by: str, products: tuple[int, int]
) -> None:
    decision = _place(sizes)
    warning = (
        f"The job prefers D1, but {by} comes first: capacity times weight is {products[0]} for "
        f"{by} and {products[1]} for D1. With rank: lexicographic, preferences count before "
        "capacity."
    )
    assert _warnings(decision) == [warning]
    assert trace_from_json(trace_to_json(decision.trace)) == decision.trace
    assert _warnings(_place(sizes, settings={})) == []


@pytest.mark.parametrize("sizes", [_EQUAL, {"EU": 8, "SA": 8}], ids=["M1", "M3"])
def test_nothing_is_told_if_the_preferred_cluster_is_first_or_none_remains(
    sizes: dict[str, int],
) -> None:
    assert _warnings(_place(sizes)) == []


@pytest.mark.parametrize(("size", "taken"), [(9, "b"), (7, "a")])
def test_single_preference_leaves_half_to_others(size: int, taken: str) -> None:
    preference = {"name": "p", "match_labels": {"here": "yes"}, "weight": 2}
    decision = _place(
        {"a": 4, "b": size},
        request={"cpu": 1},
        placement={"preferences": [preference]},
        labels={"a": {"here": "yes"}},
    )
    assert _ranked(decision) == {"a": 400, "b": size * 50}
    assert _replicas(decision) == {taken: 1}


def test_preference_without_weight_has_no_effect() -> None:
    preference = {"name": "p", "match_labels": {"here": "yes"}}
    decision = _place(
        {"a": 4, "b": 5},
        request={"cpu": 1},
        placement={"preferences": [preference]},
        labels={"a": {"here": "yes"}},
    )
    assert list(_ranked(decision).items()) == [("b", 500), ("a", 400)]


@pytest.mark.parametrize(
    ("replicas", "nodes"),
    [
        (3, [("a", "n1", 1), ("a", "n2", 1), ("b", "n1", 1)]),
        (4, [("a", "n1", 1), ("a", "n2", 1), ("b", "n1", 2)]),
        (5, []),
    ],
)
def test_replicas_fill_one_node_after_the_other(
    replicas: int, nodes: list[tuple[str, str, int]]
) -> None:
    state = State(policy(**AS_SKYSHIFT))
    state.change_inventory(
        inventory([cluster("a", {"cpu": 3}, {"cpu": 2}), cluster("b", {"cpu": 4})])
    )
    state.submit(job(1, {"cpu": 2}, replicas=replicas))
    (decision,) = state.settle()
    assert [
        (place.cluster, place.node, place.count)
        for each in decision.assignment
        for place in each.places
    ] == nodes
