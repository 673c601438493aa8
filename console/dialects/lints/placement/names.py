"""Lints of the names of clusters: those that only the config or only a report has."""

from __future__ import annotations

from console.dialects.findings import Findings
from console.dialects.lints.codes import (
    CLUSTER_NEVER_REPORTED,
    CLUSTER_NOT_DECLARED,
    POLICY_CLUSTER_UNKNOWN,
)
from console.dialects.lints.wording import names, quoted
from console.dialects.place_finder import START, PlaceFinder
from console.dialects.repairs import did_you_mean
from console.engine.disciplines.placement.spec import PlacementSpec
from console.engine.model.inventory import Inventory


def lint_names(
    spec: PlacementSpec, inventory: Inventory, places: PlaceFinder, findings: Findings
) -> None:
    """Report clusters that are not both declared and reported, and unknown ones of policies."""
    undeclared = [each for each in inventory.clusters if each not in spec.clusters]
    _lint_declared(spec, inventory, undeclared, places, findings)
    if spec.clusters and undeclared:
        verb = "reports" if len(undeclared) == 1 else "report"
        findings.add(
            CLUSTER_NOT_DECLARED,
            START,
            f"The config does not declare {names(undeclared)}, which {verb} to Sluice.",
            "Declare a cluster to set its labels and its order.",
        )
    _lint_policies(spec, inventory, places, findings)


def _lint_declared(
    spec: PlacementSpec,
    inventory: Inventory,
    undeclared: list[str],
    places: PlaceFinder,
    findings: Findings,
) -> None:
    silent = [each for each in spec.clusters.values() if each.name not in inventory.clusters]
    if silent and not inventory.clusters:
        first = silent[0]
        findings.add(
            CLUSTER_NEVER_REPORTED,
            places.name(first.origin, first.name),
            "No cluster has reported yet, so no workload can be placed.",
            "Start the agents of the clusters, or load them from a file.",
        )
        return
    for cluster in silent:
        place = places.name(cluster.origin, cluster.name)
        hint, repairs = did_you_mean(findings, place, cluster.name, undeclared)
        findings.add(
            CLUSTER_NEVER_REPORTED,
            place,
            f"No cluster {quoted(cluster.name)} has reported.",
            hint or "Correct the name, or start the agent of the cluster.",
            repairs,
        )


def _lint_policies(
    spec: PlacementSpec, inventory: Inventory, places: PlaceFinder, findings: Findings
) -> None:
    # A dictionary keeps the order, and finds a name at once.
    known = dict.fromkeys([*spec.clusters, *inventory.clusters])
    if not inventory.clusters:
        return
    for policy in spec.filter_policies.values():
        for name in dict.fromkeys((*policy.include, *policy.exclude)):
            if name in known:
                continue
            place = places.item(policy.origin, name)
            hint, repairs = did_you_mean(findings, place, name, known)
            findings.add(
                POLICY_CLUSTER_UNKNOWN,
                place,
                f"No cluster {quoted(name)} is declared or has reported.",
                hint or f"Known clusters: {names(known)}.",
                repairs,
            )
