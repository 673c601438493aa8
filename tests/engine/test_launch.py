"""Additions of flavors to the pods of an admitted pod set."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from console.engine.disciplines.quota.spec import Flavor, QuotaSpec
from console.engine.model.launch_settings import PodAdditions
from console.engine.model.nodes import FlavorToleration

SPOT = FlavorToleration("capacity", "Equal", "spot", "NoSchedule")
DRAIN = FlavorToleration("drain", "Exists", effect="NoExecute", seconds=300)
GPU = FlavorToleration("gpu", "Exists")
FLAVORS = {
    each.name: each
    for each in (
        Flavor(
            name="spot", node_labels={"capacity": "spot", "zone": "a"}, tolerations=(SPOT, DRAIN)
        ),
        Flavor(name="a100", node_labels={"gpu": "a100", "zone": "b"}, tolerations=(GPU, DRAIN)),
        Flavor(name="any"),
    )
}


def test_labels_and_tolerations_of_all_flavors_come_together() -> None:
    assigned = {"memory": "spot", "nvidia.com/gpu": "a100", "cpu": "spot"}
    assert QuotaSpec(flavors=FLAVORS).pod_additions(assigned) == PodAdditions(
        # Both flavors set the zone; that of the first resource by name wins.
        node_selector={"capacity": "spot", "zone": "a", "gpu": "a100"},
        tolerations=(SPOT, DRAIN, GPU),
    )


def test_tolerations_that_differ_in_their_seconds_are_two() -> None:
    soon = FlavorToleration("drain", "Exists", effect="NoExecute", seconds=10)
    flavors = FLAVORS | {"soon": Flavor(name="soon", tolerations=(soon,))}
    added = QuotaSpec(flavors=flavors).pod_additions({"cpu": "spot", "gpu": "soon"})
    assert added.tolerations == (SPOT, DRAIN, soon)


def test_a_flavor_without_labels_adds_nothing_and_so_does_one_that_is_gone() -> None:
    assert QuotaSpec(flavors=FLAVORS).pod_additions({"cpu": "any", "gpu": "gone"}) == PodAdditions()
    assert QuotaSpec(flavors=FLAVORS).pod_additions({}) == PodAdditions()


@given(st.permutations([("cpu", "spot"), ("gpu", "a100"), ("memory", "any"), ("tpu", "spot")]))
def test_the_order_in_which_rows_keep_an_assignment_does_not_matter(
    assigned: list[tuple[str, str]],
) -> None:
    assert QuotaSpec(flavors=FLAVORS).pod_additions(dict(assigned)) == QuotaSpec(
        flavors=FLAVORS
    ).pod_additions(dict(sorted(assigned)))
