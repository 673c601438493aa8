"""Changes that would let a waiting job start, each tried on a copy of the state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.engine.counterfactual import find_changes
from console.engine.counterfactual.change import ChangeKind
from console.engine.disciplines.placement.plugin import Cluster, Job, PlacementPlugin
from console.engine.disciplines.placement.spec import (
    DEFAULT_PLUGIN,
    Criterion,
    DeclaredCluster,
    OnUnplaceable,
    Placement,
    PluginUse,
    Template,
)
from console.engine.explain.changes import change_sentence, in_vain_sentence
from console.engine.model.inventory import Cluster as ReportedCluster
from console.engine.model.inventory import Inventory
from console.engine.model.origin import Origin
from console.engine.model.workload import PodSet, Workload
from console.engine.state import State
from tests.engine.placement.plugins import installed
from tests.engine.placement.worlds import amounts, cluster, inventory, job, policy
from tests.engine.strategies import worlds

ORIGIN: Final = Origin(3, 1, 4, 1)


def waiting(reported: Iterable[ReportedCluster], *jobs: Workload, **settings: Any) -> State:
    """Return a state in which the last of *jobs* waits."""
    state = State(policy(**settings))
    state.change_inventory(inventory(reported))
    for each in jobs:
        state.submit(each)
    state.settle()
    assert jobs[-1].id in state.pending
    return state


def advice(state: State, uid: str) -> list[str]:
    """Return the sentences of all changes that start a job."""
    before = state.explain(uid)
    found = find_changes(state, uid)
    assert state.explain(uid) == before
    return [change_sentence(each).text for each in found.changes]


def labeled(name: str = "f", **labels: str) -> dict[str, object]:
    """Return a filter for clusters with these labels."""
    return {"name": name, "match_labels": labels}


def only(*filters: Mapping[str, object]) -> dict[str, object]:
    """Return a placement with these filters."""
    return {"filters": list(filters)}


def excluding(key: str, *values: str) -> dict[str, object]:
    """Return a filter that a label excludes."""
    expression = {"key": key, "operator": "NotIn", "values": list(values)}
    return {"name": "g", "match_expressions": [expression]}


DEV: Final = cluster("a", {"cpu": 8}, {"cpu": 4}, labels={"purpose": "dev"})


@pytest.mark.parametrize(
    ("job", "changes"),
    [
        pytest.param(job(1, {"cpu": 9}), ["Request 8 CPUs instead of 9"], id="less"),
        pytest.param(
            job(1, {"cpu": 3}, replicas=5),
            [
                "Request 2 CPUs instead of 3 for each pod of pod set main",
                "Request 3 pods instead of 5",
            ],
            id="fewer replicas",
        ),
        pytest.param(
            job(1, {"cpu": 1}, placement=only(labeled(purpose="prod"))),
            [
                "Remove the filter f",
                "Set the label purpose of cluster a to prod instead of dev",
            ],
            id="another value",
        ),
        pytest.param(
            job(1, {"cpu": 1}, placement=only(labeled(purpose="dev", zone="x"))),
            [
                "Remove the condition zone in [x] from the filter f",
                "Add the label zone=x to cluster a",
            ],
            id="one condition less",
        ),
        pytest.param(
            job(
                1,
                {"cpu": 1},
                placement=only(labeled("f", tier="1", zone="x"), excluding("purpose", "dev")),
            ),
            ["Remove all filters", "Remove the label purpose=dev of cluster a"],
            id="two labels lack, but one excludes",
        ),
        pytest.param(
            job(1, {"cpu": 1}, placement=only(labeled("f", tier="1", zone="x"))),
            ["Remove the filter f"],
            id="two labels lack",
        ),
        pytest.param(job(1, {"T4": 1, "cpu": 1}), [], id="nothing helps"),
    ],
)
def test_changes_of_one_job_on_one_cluster(job: Workload, changes: list[str]) -> None:
    found = advice(waiting([DEV], job), job.id)
    assert found == [f"{each}: it would start now." for each in changes]


def test_clusters_with_the_most_room_come_first_and_full_ones_are_left_out() -> None:
    clusters = [
        cluster("small", {"cpu": 4}),
        cluster("tiny", {"cpu": 1}),
        cluster("large", {"cpu": 16}),
        cluster("away", {"cpu": 32}, is_ready=False),
        cluster("medium", {"cpu": 8}),
    ]
    state = waiting(clusters, job(1, {"cpu": 2}, placement=only(labeled(purpose="prod"))))
    assert advice(state, "w1") == [
        "Remove the filter f: it would start now.",
        "Add the label purpose=prod to cluster large: it would start now.",
        "Add the label purpose=prod to cluster medium: it would start now.",
    ]


def test_label_of_a_declared_cluster_is_changed_in_the_config() -> None:
    declared = {"a": DeclaredCluster(name="a", labels={"purpose": "dev"}, origin=ORIGIN)}
    state = waiting(
        [DEV], job(1, {"cpu": 1}, placement=only(labeled(purpose="prod"))), clusters=declared
    )
    found = find_changes(state, "w1").changes
    (change,) = [each for each in found if each.kind is ChangeKind.CLUSTER_LABEL]
    assert (change.cluster, change.subject, change.from_, change.to) == (
        "a",
        "purpose",
        "dev",
        "prod",
    )
    assert change.origin == ORIGIN


def test_label_that_an_earlier_job_would_profit_from_is_no_advice() -> None:
    placement = only(labeled(purpose="prod"))
    state = waiting(
        [cluster("a", {"cpu": 4})],
        job(1, {"cpu": 4}, placement=placement),
        job(2, {"cpu": 3}, placement=placement),
    )
    assert advice(state, "w2") == ["Remove the filter f: it would start now."]


def test_replicas_need_the_room_of_the_other_cluster_too() -> None:
    clusters = [
        cluster("a", {"cpu": 4}, labels={"purpose": "prod"}),
        cluster("b", {"cpu": 4}),
        cluster("c", {"cpu": 2}),
    ]
    state = waiting(
        clusters, job(1, {"cpu": 2}, replicas=4, placement=only(labeled(purpose="prod")))
    )
    assert advice(state, "w1") == [
        "Request 1 CPU instead of 2 for each pod of pod set main: it would start now.",
        "Request 2 pods instead of 4: it would start now.",
        "Remove the filter f: it would start now.",
        "Add the label purpose=prod to cluster b: it would start now.",
    ]


def test_one_running_job_that_would_make_room_is_found() -> None:
    """The end of w2 is not sufficient; of w1 and w3, it is the later one."""
    clusters = [cluster("a", {"cpu": 8}, {"cpu": 4})]
    running = [job(number, {"cpu": cpus}) for number, cpus in enumerate((5, 3, 4), start=1)]
    state = waiting(clusters, *running, job(4, {"cpu": 4}))
    assert advice(state, "w4")[-1] == ("Wait for w3 to end, or finish it: it would then start.")


def test_several_running_jobs_that_have_to_end_together_are_found() -> None:
    clusters = [cluster("a", {"cpu": 8}, {"cpu": 1}), cluster("b", {"cpu": 2})]
    running = [job(number, {"cpu": cpus}) for number, cpus in enumerate((2, 2, 2, 2, 1), start=1)]
    state = waiting(clusters, *running, job(6, {"cpu": 6}))
    found = find_changes(state, "w6").changes
    (change,) = [each for each in found if each.kind is ChangeKind.FINISH]
    on_a = {
        uid
        for uid, each in state.running.items()
        if each.assignment[0].places[0].node == "n1" and each.assignment[0].places[0].cluster == "a"
    }
    assert set(change.workloads) <= on_a
    assert len(change.workloads) == 3


def test_end_that_lets_an_earlier_job_start_instead_is_no_advice() -> None:
    state = waiting(
        [cluster("a", {"cpu": 4})],
        job(1, {"cpu": 4}),
        job(2, {"cpu": 3}),
        job(3, {"cpu": 2}),
    )
    assert all("finish" not in each for each in advice(state, "w3"))


def test_jobs_on_clusters_that_the_filters_exclude_do_not_matter() -> None:
    state = waiting(
        [cluster("a", {"cpu": 4}, labels={"purpose": "dev"}), cluster("b", {"cpu": 8})],
        job(1, {"cpu": 8}),
        job(2, {"cpu": 5}, placement=only(labeled(purpose="dev"))),
    )
    assert state.running["w1"].assignment[0].places[0].cluster == "b"
    assert [each for each in advice(state, "w2") if "finish" in each] == []


def test_preference_that_takes_the_place_of_another_pod_set_is_found() -> None:
    """The first pod set prefers the only node on which the second one fits."""
    large = cluster("large", {"cpu": 8}, labels={"tier": "1"})
    preferring = Workload(
        id="w1",
        sequence=1,
        pod_sets=(
            PodSet(name="first", requests=amounts({"cpu": 2})),
            PodSet(name="second", requests=amounts({"cpu": 8})),
        ),
        placement={"preferences": [{**labeled("p", tier="1"), "weight": 9}]},
    )
    state = waiting([large, cluster("small", {"cpu": 4})], preferring)
    # Without the preference, the larger cluster is still the first; nothing changes.
    assert not any("preference" in each for each in advice(state, "w1"))
    state = waiting([large, cluster("wide", *[{"cpu": 4}] * 3)], preferring)
    assert "Remove the preference p: it would start now." in advice(state, "w1")


def test_filter_of_a_template_names_the_template() -> None:
    filters = (Criterion(name="f", labels={"purpose": "dev", "zone": "x"}),)
    templates = {"t": Template(name="t", placement=Placement(filters=filters))}
    state = waiting([DEV], job(1, {"cpu": 1}, placement={"template": "t"}), templates=templates)
    assert advice(state, "w1") == [
        "Remove the condition zone in [x] from the filter f of the template t: it would start now.",
        "Add the label zone=x to cluster a: it would start now.",
    ]


class Even(PlacementPlugin):
    """Spreads two replicas over two clusters."""

    def spread(self, job: Job, clusters: tuple[Cluster, ...]) -> Mapping[str, int]:
        """Return one replica for each of two clusters; none for fewer."""
        return {each.name: 1 for each in clusters[:2]} if len(clusters) > 1 else {}


def test_changes_are_verified_with_installed_plugins() -> None:
    with installed({"even": Even()}):
        state = waiting(
            [DEV, cluster("b", {"cpu": 8})],
            job(1, {"cpu": 1}, replicas=2, placement=only(labeled(purpose="dev"))),
            plugins=tuple(
                PluginUse(name=n) for n in ("even", DEFAULT_PLUGIN, "ClusterAffinityPluginV2")
            ),
        )
        assert advice(state, "w1") == [
            "Remove the filter f: it would start now.",
            "Add the label purpose=dev to cluster b: it would start now.",
        ]


def test_kinds_that_were_tried_in_vain_are_told() -> None:
    state = waiting([DEV], job(1, {"cpu": 9}, placement=only(labeled(purpose="prod"))))
    found = find_changes(state, "w1")
    assert found.changes == ()
    assert in_vain_sentence(found.in_vain) == (
        "Does not help: a smaller request for one resource, a filter or a condition less."
    )


_labels = st.dictionaries(st.sampled_from(("one", "two")), st.sampled_from(("x", "y")))
_clusters = st.lists(
    st.tuples(_labels, st.lists(st.integers(1, 8), min_size=1, max_size=3)), min_size=1, max_size=3
)
_required = st.dictionaries(
    st.sampled_from(("one", "two")), st.sampled_from(("x", "y")), min_size=1
)
_filters = st.lists(_required, max_size=2).map(
    lambda some: only(*(labeled(f"f{n}", **each) for n, each in enumerate(some)))
)
_jobs = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 3), _filters), min_size=2, max_size=8)


@worlds(150)
@given(clusters=_clusters, wishes=_jobs)
def test_changes_of_labels_and_ends_of_jobs_start_the_job(clusters: Any, wishes: Any) -> None:
    reported = [
        cluster(f"c{number}", *({"cpu": cpus} for cpus in nodes), labels=labels)
        for number, (labels, nodes) in enumerate(clusters)
    ]
    jobs = [
        job(number, {"cpu": cpus}, replicas=replicas, placement=placement)
        for number, (cpus, replicas, placement) in enumerate(wishes, start=1)
    ]

    def settled(alone: str = "") -> State:
        state = State(policy())
        state.change_inventory(inventory(reported))
        for each in jobs:
            if alone in ("", each.id):
                state.submit(each)
        state.settle()
        return state

    for uid in settled().pending:
        for change in find_changes(settled(), uid).changes:
            state = settled(uid if change.is_later else "")
            if change.kind is ChangeKind.FINISH:
                for ended in change.workloads:
                    state.finish(ended)
            elif change.kind is ChangeKind.CLUSTER_LABEL:
                known = dict(state.inventory.clusters)
                old = known[change.cluster or ""]
                labels = {key: text for key, text in old.labels.items() if key != change.subject}
                labels |= {} if change.to is None else {change.subject: str(change.to)}
                known[old.name] = replace(old, labels=labels)
                state.change_inventory(Inventory(clusters=known))
            else:
                continue
            state.settle()
            assert uid in state.running, change


@pytest.mark.parametrize(
    ("free", "texts"),
    [
        (8, ["Submit it again: it would start now."]),
        (
            4,
            [
                "Request 4 CPUs instead of 6: it would start now.",
                "Wait for w1 to end, or finish it: it would then start.",
            ],
        ),
    ],
)
def test_rejected_job_is_tried_as_if_it_were_submitted_again(free: int, texts: list[str]) -> None:
    state = State(policy(on_unplaceable=OnUnplaceable.FAIL))
    state.change_inventory(inventory([cluster("a", {"cpu": 4 + free})]))
    state.submit(job(1, {"cpu": 4}))
    state.settle()
    state.resubmit(job(2, {"cpu": 6}), None)
    state.take_in_arrivals()
    found = find_changes(state, "w2", is_rejected=True)
    assert [change_sentence(each).text for each in found.changes] == texts
    assert ChangeKind.RESUBMIT not in found.in_vain
