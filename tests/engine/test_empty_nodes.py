"""What nodes could hold if nothing ran there: kinds of nodes, the closest one, and who accepts."""

from __future__ import annotations

from collections.abc import Mapping

from console.engine.disciplines.empty_nodes import (
    EmptyNodes,
    NodeKind,
    closest,
    fits,
    pods_on,
)
from console.engine.model.exceeded import BoundKind, Exceeded
from console.engine.model.inventory import Cluster, Node
from console.engine.model.nodes import Taint
from console.engine.model.workload import PodSet

SMALL, LARGE = {"cpu": 4000}, {"cpu": 8000, "gpu": 2000}


def offered(node: Node) -> Mapping[str, int]:
    """Return what a node offers."""
    return node.offered


def node(name: str, amounts: Mapping[str, int], *taints: str, is_ready: bool = True) -> Node:
    """Return a node of zone *name* with taints of these keys."""
    return Node(
        name=name,
        labels={"zone": name},
        offered=amounts,
        taints=tuple(Taint(each) for each in taints),
        is_ready=is_ready,
    )


CLUSTERS = (
    Cluster(name="east", nodes=(node("a", SMALL), node("b", LARGE), node("c", SMALL))),
    Cluster(
        name="west",
        is_ready=False,
        has_failed=True,
        nodes=(node("d", LARGE, is_ready=False), node("e", LARGE, "dedicated")),
    ),
)


def test_nodes_that_offer_the_same_are_one_kind_whether_they_accept_pods_now_or_not() -> None:
    nodes = EmptyNodes(CLUSTERS, offered)
    assert len(nodes) == 5
    assert nodes.accepting(PodSet(requests={})) == (
        NodeKind("east", "a", SMALL, 2),
        NodeKind("east", "b", LARGE, 2),
    )
    assert nodes.accepting(PodSet(requests={}, node_selector={"zone": "c"})) == (
        NodeKind("east", "c", SMALL, 1),
    )
    assert nodes.accepting(PodSet(requests={}, node_selector={"zone": "x"})) == ()
    assert nodes.constraints_exceeded() == Exceeded(kind=BoundKind.NODE_CONSTRAINTS, requested=5000)
    assert (nodes.total("cpu"), nodes.total("gpu"), nodes.total("tpu")) == (32000, 6000, 0)


def test_nodes_of_others_do_not_count() -> None:
    nodes = EmptyNodes(CLUSTERS, offered, lambda each: each.name == "b")
    assert nodes.accepting(PodSet(requests={})) == (NodeKind("east", "b", LARGE, 1),)


def test_a_taint_that_passes_excludes_no_pods_for_ever() -> None:
    passing = node("a", SMALL, "node.kubernetes.io/unschedulable")
    lasting = node("b", SMALL, "dedicated")
    nodes = EmptyNodes([Cluster(name="c", nodes=(passing, lasting))], offered)
    assert nodes.accepting(PodSet(requests={})) == (NodeKind("c", "a", SMALL, 1),)


def test_a_kind_holds_as_many_pods_as_its_scarcest_resource_allows() -> None:
    kind = NodeKind("east", "b", LARGE, 1)
    assert pods_on({"cpu": 3000}, kind, 9) == 2
    assert pods_on({"cpu": 1000, "gpu": 2000}, kind, 9) == 1
    assert pods_on({}, kind, 9) == 9
    assert [fits(need, kind) for need in ({"cpu": 8000}, {"cpu": 8001}, {"tpu": 1})] == [
        True,
        False,
        False,
    ]


def test_the_closest_node_lacks_the_smallest_part() -> None:
    kinds = EmptyNodes(CLUSTERS, offered).accepting(PodSet(requests={}))
    need = {"cpu": 16000, "gpu": 4000}
    assert list(closest(need, kinds, lambda _, amount: amount)) == [
        Exceeded(
            kind=BoundKind.NODE,
            name="b",
            cluster="east",
            resource="cpu",
            requested=16000,
            most=8000,
        ),
        Exceeded(
            kind=BoundKind.NODE,
            name="b",
            cluster="east",
            resource="gpu",
            requested=4000,
            most=2000,
        ),
    ]
