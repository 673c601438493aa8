"""Cases of SkyShift's placement: one job over clusters, with the verdict on every cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import isclose
from typing import Any, Final

from console.dialects import dialects
from console.dialects.conformance.differences import single, unknown_parts
from console.dialects.conformance.parts import objects_in, part
from console.dialects.conformance.result import Result, judged
from console.dialects.skyshift.job import read_job
from console.engine.disciplines.placement.spec import AFFINITY_PLUGIN, DEFAULT_PLUGIN
from console.engine.disciplines.placement.trace import (
    ClusterStage,
    ClusterStep,
    PodSetPlacement,
    facts_of,
)
from console.engine.model.amounts import SCALE
from console.engine.model.decision import Decision, Outcome
from console.engine.model.inventory import Cluster, Inventory, Node
from console.engine.model.workload import PodSet, Workload
from console.engine.state import State

#: The settings that stand for SkyShift's own behavior.
_CONFIG: Final = """
kind: Scheduler
metadata: {name: default}
spec: {on_unplaceable: fail, reserve: none, gpu_rule: skyshift_head, rank: product}
"""

_PARTS: Final = (
    "valid",
    "resources",
    "eligible",
    "removed",
    "ranked",
    "spread",
    "job_status",
    "replica_status",
)

#: Bytes in the unit of memory and disk in cases.
_MEBIBYTE: Final = 2**20

#: Name in cases -> name in the product, and the number of its units.
_UNITS: Final = {
    "cpus": ("cpu", 1),
    "memory": ("memory", _MEBIBYTE),
    "disk": ("ephemeral-storage", _MEBIBYTE),
}
_NAMES: Final = {name: (own, units) for own, (name, units) in _UNITS.items()}

#: The stage in traces -> the word for it in cases.
_PLUGINS: Final = {
    ClusterStage.NOT_READY: "(not READY)",
    ClusterStage.CAPACITY: DEFAULT_PLUGIN,
    ClusterStage.AFFINITY: AFFINITY_PLUGIN,
}


def run_placement(name: str, case: Mapping[str, Any], engine: object) -> Result:
    """
    Run one case with the language and the engine.

    Raises MalformedCase if it cannot be run as written.
    """
    scenario, expect = part(case, "scenario", dict), part(case, "expect", dict)
    clusters = tuple(_cluster(each) for each in objects_in(scenario, "clusters"))
    reading = read_job(json.dumps(part(scenario, "job", dict)))
    if reading.job is None:
        found = [] if expect.get("valid") is False else [e.message for e in reading.diagnostics]
        return judged(name, tuple(found))
    workload = _workload(reading.job)
    policy = dialects()["skyshift"].read(_CONFIG, {}).policy
    assert policy is not None, "the settings are valid"
    state = State(policy)
    state.change_inventory(Inventory(clusters={each.name: each for each in clusters}))
    state.submit(workload)
    (decision,) = state.settle()
    order = [each.name for each in clusters]
    return judged(name, tuple(_differences(expect, decision, workload, order)))


def _differences(
    expect: Mapping[str, Any], decision: Decision, workload: Workload, order: list[str]
) -> Iterator[str]:
    yield from unknown_parts(expect, _PARTS)
    (pod_set,) = facts_of(decision.trace).pod_sets
    yield from single("valid", expect["valid"], True)
    yield from _resources(expect["resources"], workload)
    kept = {each.cluster for each in pod_set.kept}
    yield from single("eligible", expect["eligible"], [each for each in order if each in kept])
    stages = {each.cluster: each for each in pod_set.clusters}
    removed = [(each, _PLUGINS[stages[each].stage]) for each in order if each not in kept]
    yield from single(
        "removed", [(each["cluster"], each["plugin"]) for each in expect["removed"]], removed
    )
    yield from _ranked(expect["ranked"], pod_set)
    placed = decision.outcome is Outcome.ADMITTED
    spread = _spread(decision) if placed else None
    yield from single("spread", expect["spread"], spread)
    yield from single("job_status", expect["job_status"], "ACTIVE" if placed else "FAILED")
    status = {cluster: {"INIT": count} for cluster, count in (spread or {}).items()}
    yield from single("replica_status", expect["replica_status"], status)


def _resources(expect: Mapping[str, float], workload: Workload) -> Iterator[str]:
    """Compare the request of one replica."""
    (pods,) = workload.pod_sets
    actual = {}
    for resource, amount in pods.requests.items():
        name, units = _NAMES.get(resource, (resource, 1))
        actual[name] = float(Fraction(amount, SCALE * units))
    yield from single("the resources", dict(sorted(expect.items())), dict(sorted(actual.items())))


def _ranked(expect: list[Mapping[str, Any]], found: PodSetPlacement) -> Iterator[str]:
    """Compare the order, weights and scores of the clusters that remain."""
    yield from single(
        "the order", [each["cluster"] for each in expect], [each.cluster for each in found.kept]
    )
    by_name = {each.cluster: each for each in found.kept}
    for each in expect:
        step = by_name.get(each["cluster"])
        if step is not None:
            weight = Fraction(100 * step.weight, found.largest_weight)
            yield from _number(f"the weight of {step.cluster}", each["weight"], weight)
            yield from _number(f"the score of {step.cluster}", each["score"], _score(step, weight))


def _score(step: ClusterStep, weight: Fraction) -> Fraction:
    return weight * Fraction(step.score, SCALE)


def _number(what: str, expect: float, actual: Fraction) -> Iterator[str]:
    if not isclose(expect, actual, rel_tol=1e-9):
        yield f"{what} is {float(actual)}, but expected {expect}."


def _spread(decision: Decision) -> dict[str, int]:
    """Return the number of replicas by cluster."""
    spread: dict[str, int] = {}
    for each in decision.assignment:
        for place in each.places:
            assert place.cluster is not None
            spread[place.cluster] = spread.get(place.cluster, 0) + place.count
    return spread


def _cluster(values: Mapping[str, Any]) -> Cluster:
    return Cluster(
        name=part(values, "name", str),
        labels=part(values, "labels", dict, {}),
        is_ready=part(values, "status", str, "READY") == "READY",
        nodes=tuple(
            Node(name=name, offered=dict(_offered(offered)))
            for name, offered in part(values, "nodes", dict).items()
        ),
    )


def _offered(values: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for resource, value in values.items():
        name, units = _UNITS.get(resource, (resource, 1))
        yield name, _thousandths(value, units)


def _thousandths(value: float, units: int) -> int:
    """Return *value* in thousandths; a case may have more decimals, which are cut off."""
    return int(Fraction(str(value)) * units * SCALE)


def _workload(job: Mapping[str, Any]) -> Workload:
    return Workload(
        id=job["name"] or "job",
        sequence=1,
        labels=job["tags"],
        namespace=job["namespace"],
        pod_sets=tuple(
            PodSet(
                name=each["name"],
                count=each["count"],
                requests={
                    resource: _thousandths(value, 1) for resource, value in each["requests"].items()
                },
            )
            for each in job["pod_sets"]
        ),
        placement=job.get("placement"),
    )


RUNNERS: Final = {"skyshift_placement": run_placement}
