"""Lists may be exactly as long as Kueue's API accepts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from console.dialects.kueue import DIALECT

API = "kueue.x-k8s.io/v1beta2"


def group(flavors: Iterable[str], resources: Iterable[str]) -> dict[str, Any]:
    """Return a resource group with every pair of *flavors* and *resources*."""
    resources = list(resources)
    return {
        "coveredResources": resources,
        "flavors": [
            {"name": name, "resources": [{"name": r, "nominalQuota": 1} for r in resources]}
            for name in flavors
        ],
    }


def named(letter: str, first: int, count: int) -> list[str]:
    """Return *count* names."""
    return [f"{letter}{n}" for n in range(first, first + count)]


def read(kind: str, spec: dict[str, Any], **gates: bool) -> list[str]:
    """Return code and message of the errors of one object, with Kueue's feature *gates*."""
    flavors = sorted({f["name"] for g in spec.get("resourceGroups", ()) for f in g["flavors"]})
    objects = [
        *({"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": f}} for f in flavors),
        {"apiVersion": API, "kind": kind, "metadata": {"name": "x"}, "spec": spec},
        {"apiVersion": f"config.{API}", "kind": "Configuration", "featureGates": gates},
    ]
    reading = DIALECT.read(json.dumps({"kind": "List", "items": objects}), {})
    return [f"{d.code} {d.message}" for d in reading.errors]


#: Lists at their maximum length, and the message for one item more.
SIZES = {
    "groups": (
        lambda n: [group([f"f{i}"], [f"r{i}"]) for i in range(n)],
        16,
        "17 resource groups are more than the 16 that Kueue accepts.",
    ),
    "covered": (
        lambda n: [group(["f"], named("r", 0, n))],
        64,
        "65 covered resources of a group are more than the 64 that Kueue accepts.",
    ),
    "flavors": (
        lambda n: [group(named("f", 0, n), ["r"])],
        64,
        "65 flavors of a group are more than the 64 that Kueue accepts.",
    ),
}


@pytest.mark.parametrize("kind", ["ClusterQueue", "Cohort"])
@pytest.mark.parametrize("size", SIZES)
def test_lists_of_groups_are_bounded(kind: str, size: str):
    make, most, message = SIZES[size]
    assert read(kind, {"resourceGroups": make(most)}) == []
    assert f"KUE008 {message}" in read(kind, {"resourceGroups": make(most + 1)})


TOTALS = {
    "flavors": (
        [group(named("f", 64 * i, 64), [f"r{i}"]) for i in range(4)],
        group(["one-more"], ["rr"]),
        "257 flavors of a ClusterQueue are more than the 256 that Kueue accepts.",
    ),
    "resources": (
        [group([f"f{i}"], named("r", 64 * i, 64)) for i in range(4)],
        group(["one-more"], ["rr"]),
        "257 resources of a ClusterQueue are more than the 256 that Kueue accepts.",
    ),
}


@pytest.mark.parametrize("total", TOTALS)
def test_totals_are_bounded_on_a_queue_and_not_on_a_cohort(total: str):
    groups, more, message = TOTALS[total]
    assert read("ClusterQueue", {"resourceGroups": groups}) == []
    assert read("ClusterQueue", {"resourceGroups": [*groups, more]}) == [f"KUE008 {message}"]
    assert read("Cohort", {"resourceGroups": [*groups, more]}) == []


def test_pairs_of_a_group_are_bounded_on_a_queue_and_not_on_a_cohort():
    assert (
        read("ClusterQueue", {"resourceGroups": [group(named("f", 0, 8), named("r", 0, 64))]}) == []
    )
    many = {"resourceGroups": [group(named("f", 0, 9), named("r", 0, 57))]}
    message = "513 flavor-resources of a group are more than the 512 that Kueue accepts."
    assert read("ClusterQueue", many) == [f"KUE008 {message}"]
    assert read("Cohort", many) == []


def test_admission_checks_and_their_flavors_are_bounded():
    checks = [{"name": f"c{i}"} for i in range(65)]
    spec = {"admissionChecksStrategy": {"admissionChecks": checks[:64]}}
    assert read("ClusterQueue", spec) == []
    spec = {"admissionChecksStrategy": {"admissionChecks": checks}}
    message = "65 admission checks are more than the 64 that Kueue accepts."
    assert read("ClusterQueue", spec) == [f"KUE008 {message}"]
    flavors = named("f", 0, 65)
    spec = {
        "resourceGroups": [group(flavors[:64], ["r"]), group(flavors[64:], ["s"])],
        "admissionChecksStrategy": {"admissionChecks": [{"name": "c", "onFlavors": flavors}]},
    }
    message = "65 flavors of a check are more than the 64 that Kueue accepts."
    assert read("ClusterQueue", spec) == [f"KUE008 {message}"]


def test_concurrent_admission_allows_sixteen_flavors_with_its_gate():
    spec = {
        "concurrentAdmissionPolicy": {"migration": {"mode": "TryPreferredFlavors"}},
        "resourceGroups": [group(named("f", 0, 16), ["r"])],
    }
    assert read("ClusterQueue", spec, ConcurrentAdmission=True) == []
    spec["resourceGroups"] = [group(named("f", 0, 17), ["r"])]
    assert read("ClusterQueue", spec, ConcurrentAdmission=True) == [
        "KUE021 concurrentAdmissionPolicy needs at most 16 flavors."
    ]
    assert read("ClusterQueue", spec, ConcurrentAdmission=False) == []
    assert read("ClusterQueue", spec) == []


def test_a_description_has_2048_characters():
    head = f"apiVersion: {API}\nkind: WorkloadPriorityClass\nmetadata: {{ name: p }}\nvalue: 1\n"
    text = f"{head}description: |\n" + "  many words\n" * 186
    assert DIALECT.read(text, {}).errors == ()
    assert DIALECT.read(text.replace("v1beta2", "v1beta1") + "  many words\n", {}).errors == ()
    (error,) = DIALECT.read(text + "  many words\n", {}).errors
    assert (error.code, error.message) == (
        "DOC021",
        "description has 2,057 characters; it may have 2,048 at most.",
    )
