"""Taints, tolerations and node affinity have Kubernetes' meaning."""

from __future__ import annotations

from dataclasses import replace

import pytest

from console.engine.model.inventory import Node
from console.engine.model.nodes import (
    NAME_FIELD,
    NodeExpression,
    NodeOperator,
    NodeTerm,
    Taint,
    TaintEffect,
    Toleration,
    accepts,
    mismatch,
    required_node,
    untolerated,
)
from console.engine.model.workload import PodSet

GPU = Taint("gpu", "a100")
BARE = Taint("dedicated")


@pytest.mark.parametrize(
    ("toleration", "taint", "tolerated"),
    [
        # Equal, the default operator, compares key and value.
        (Toleration("gpu", value="a100"), GPU, True),
        (Toleration("gpu", "Equal", "a100"), GPU, True),
        (Toleration("gpu", "", "a100"), GPU, True),
        (Toleration("gpu", "Equal", "h100"), GPU, False),
        (Toleration("cpu", "Equal", "a100"), GPU, False),
        (Toleration("gpu"), GPU, False),
        (Toleration("dedicated"), BARE, True),
        # Exists compares only the key; without a key it tolerates all taints.
        (Toleration("gpu", "Exists"), GPU, True),
        (Toleration("cpu", "Exists"), GPU, False),
        (Toleration("", "Exists"), GPU, True),
        # Equal requires a key.
        (Toleration(), BARE, False),
        (Toleration("", "Equal", "a100"), GPU, False),
        # An unknown operator tolerates nothing.
        (Toleration("gpu", "exists", "a100"), GPU, False),
        # The effect must be equal; an empty effect matches all.
        (Toleration("gpu", "Exists", effect="NoSchedule"), GPU, True),
        (Toleration("gpu", "Exists", effect="NoExecute"), GPU, False),
        (Toleration("", "Exists", effect="NoExecute"), GPU, False),
        (Toleration("gpu", "Exists"), Taint("gpu", "", TaintEffect.NO_EXECUTE), True),
    ],
)
def test_tolerations(toleration: Toleration, taint: Taint, tolerated: bool) -> None:
    assert toleration.tolerates(taint) is tolerated


def test_the_first_taint_that_is_not_tolerated_is_named() -> None:
    soft = Taint("noisy", "", TaintEffect.PREFER_NO_SCHEDULE)
    evicting = Taint("flaky", "", TaintEffect.NO_EXECUTE)
    taints = (soft, BARE, GPU, evicting)
    dedicated, gpu = Toleration("dedicated", "Exists"), Toleration("gpu", "Exists")
    assert untolerated(taints, ()) == BARE
    assert untolerated(taints, (dedicated,)) == GPU
    assert untolerated(taints, (gpu, dedicated)) == evicting
    assert untolerated(taints, (Toleration("", "Exists"),)) is None
    # PreferNoSchedule does not exclude pods.
    assert untolerated((soft,), ()) is None
    assert untolerated((), ()) is None


IN, NOT_IN = NodeOperator.IN, NodeOperator.NOT_IN
EXISTS, ABSENT = NodeOperator.EXISTS, NodeOperator.DOES_NOT_EXIST
GT, LT = NodeOperator.GT, NodeOperator.LT


@pytest.mark.parametrize(
    ("operator", "values", "actual", "holds"),
    [
        (IN, ("a", "b"), "b", True),
        (IN, ("a", "b"), "c", False),
        (IN, ("a",), None, False),
        (NOT_IN, ("a",), "b", True),
        (NOT_IN, ("a",), "a", False),
        (NOT_IN, ("a",), None, True),
        (EXISTS, (), "", True),
        (EXISTS, (), None, False),
        (ABSENT, (), None, True),
        (ABSENT, (), "a", False),
        # Gt and Lt compare whole numbers.
        (GT, ("9",), "10", True),
        (GT, ("10",), "10", False),
        (GT, ("-10",), "-9", True),
        (LT, ("10",), "9", True),
        (LT, ("10",), "10", False),
        (LT, ("+10",), "009", True),
        (GT, ("1",), None, False),
        (LT, ("1",), None, False),
        # Values that are not 64-bit integers never satisfy Gt or Lt.
        (GT, ("1",), "many", False),
        (GT, ("few",), "10", False),
        (GT, ("1",), "1_000", False),
        (GT, ("1",), " 10", False),
        (GT, ("1",), "\u0663", False),
        (GT, ("1",), "2.5", False),
        (GT, ("1",), "9223372036854775807", True),
        (GT, ("1",), "9223372036854775808", False),
        (LT, ("1",), "-9223372036854775808", True),
        (LT, ("1",), "-9223372036854775809", False),
        (LT, ("1",), "-" + "9" * 5000, False),
        # Gt and Lt require exactly one value.
        (GT, (), "10", False),
        (GT, ("1", "2"), "10", False),
    ],
)
def test_node_operators(
    operator: NodeOperator, values: tuple[str, ...], actual: str | None, holds: bool
) -> None:
    labels = {} if actual is None else {"key": actual}
    assert NodeExpression("key", operator, values).holds(labels) is holds


ZONE_A, ZONE_B = NodeExpression("zone", IN, ("a",)), NodeExpression("zone", IN, ("b",))
BIG = NodeExpression("cores", GT, ("32",))
FOREIGN = NodeExpression("disk", IN, ("ssd",))
NODES = {"zone": "b", "cores": "64"}


@pytest.mark.parametrize(
    ("selector", "affinity", "unmet"),
    [
        ({}, (), None),
        ({"zone": "b"}, (), None),
        ({"zone": "a"}, (), ZONE_A),
        # Keys that the flavor does not define are ignored.
        ({"disk": "ssd"}, (), None),
        ({"disk": "ssd", "zone": "a"}, (), ZONE_A),
        # All expressions of a term must match.
        ({}, ((ZONE_B, BIG),), None),
        ({}, ((BIG, ZONE_A),), ZONE_A),
        # One matching term suffices; if none matches, the first one is reported.
        ({}, ((ZONE_A,), (ZONE_B,)), None),
        ({}, ((ZONE_A,), (NodeExpression("cores", LT, ("32",)),)), ZONE_A),
        # Unknown keys are dropped; a term that becomes empty satisfies the affinity.
        ({}, ((FOREIGN, ZONE_B),), None),
        ({}, ((FOREIGN, ZONE_A),), ZONE_A),
        ({}, ((ZONE_A,), (FOREIGN,)), None),
        ({}, ((FOREIGN,), (ZONE_A,)), None),
        ({}, ((NodeExpression("disk", EXISTS),),), None),
        ({}, ((),), None),
        # The node selector must match too.
        ({"zone": "a"}, ((ZONE_B,),), ZONE_A),
        ({"zone": "b"}, ((ZONE_A,),), ZONE_A),
    ],
)
def test_unmet_node_requirements(
    selector: dict[str, str], affinity: tuple[NodeTerm, ...], unmet: NodeExpression | None
) -> None:
    assert mismatch(NODES, selector, affinity) == unmet
    assert accepts(NODES, selector, affinity) is (unmet is None)


def test_a_flavor_without_labels_meets_everything() -> None:
    assert mismatch({}, {"zone": "a"}, ((ZONE_A,),)) is None


NAMED = NodeExpression(NAME_FIELD, NodeOperator.IN, ("n1",), is_field=True)
NOT_NAMED = NodeExpression(NAME_FIELD, NodeOperator.NOT_IN, ("n1",), is_field=True)


@pytest.mark.parametrize(
    ("affinity", "accepted"),
    [
        (((NAMED,),), ["n1"]),
        (((NOT_NAMED,),), ["n2"]),
        (((NAMED, ZONE_A),), ["n1"]),
        (((NOT_NAMED, ZONE_A),), []),
        (((NOT_NAMED,), (ZONE_A,)), ["n1", "n2"]),
        # A label with the same key is no name.
        (((replace(NAMED, is_field=False),),), []),
    ],
)
def test_conditions_on_names_of_nodes(affinity: tuple[NodeTerm, ...], accepted: list[str]) -> None:
    nodes = [Node(name="n1", labels={"zone": "a"}), Node(name="n2", labels={"zone": "b"})]
    pod_set = PodSet(affinity=affinity)
    assert [each.name for each in nodes if each.accepts(pod_set)] == accepted
    # Flavors have labels alone.
    if all(each.is_field for term in affinity for each in term):
        assert mismatch({NAME_FIELD: "n3"}, {}, affinity) is None


@pytest.mark.parametrize(
    ("affinity", "node"),
    [
        (((NAMED,),), "n1"),
        (((NAMED, ZONE_A), (NAMED,)), "n1"),
        (((NAMED,), (ZONE_A,)), None),
        (((NAMED,), (NOT_NAMED,)), None),
        (((NOT_NAMED,),), None),
        ((), None),
    ],
)
def test_the_node_that_an_affinity_requires(
    affinity: tuple[NodeTerm, ...], node: str | None
) -> None:
    assert required_node(affinity) == node
