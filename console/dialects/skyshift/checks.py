"""Checks between objects: duplicates, and filter policies that have no or no useful effect."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TypeVar

from console.dialects.findings import Findings
from console.dialects.repairs import did_you_mean
from console.dialects.repeated import note_repeated
from console.dialects.skyshift.codes import (
    DUPLICATE_OBJECT,
    POLICY_FOR_NO_WORKLOAD,
    POLICY_NOT_USED,
    POLICY_WITHOUT_CLUSTERS,
    UNKNOWN_CLUSTER,
)
from console.dialects.skyshift.names import sanitized
from console.dialects.skyshift.schema import Document, FilterPolicyDoc
from console.dialects.wording import shorten
from console.dialects.written import Read, Unread, Written, value_of, written_items
from console.engine.disciplines.placement.spec import FILTER_POLICY_PLUGIN

T = TypeVar("T")


def check(document: Document, findings: Findings) -> None:
    """Report errors and probable mistakes between the objects of *document*."""
    for kind, names in (
        ("Cluster", [each.name for each in document.clusters]),
        ("PlacementTemplate", [each.name for each in document.templates]),
        ("FilterPolicy", [each.name for each in document.filter_policies]),
    ):
        _check_names(kind, names, findings)
    for extra in document.schedulers[1:]:
        findings.add(
            DUPLICATE_OBJECT,
            extra.place._replace(end=extra.place.start),
            "A second Scheduler begins here; a config has at most one.",
            "Remove one of them.",
        )
    found = {each.name.value for each in document.clusters if isinstance(each.name, Written)}
    # A dictionary keeps the order, and finds a name at once.
    declared = dict.fromkeys(sorted(found))
    are_used = _uses_policies(document)
    for policy in document.filter_policies:
        _check_policy(policy, declared, findings)
        if not are_used:
            _note_unused(policy, findings)


def _check_names(kind: str, names: Iterable[Read[str]], findings: Findings) -> None:
    written = [name for name in names if isinstance(name, Written)]
    note_repeated(findings, DUPLICATE_OBJECT, written, kind)


def _check_policy(policy: FilterPolicyDoc, declared: Collection[str], findings: Findings) -> None:
    """Report settings of a filter policy that exclude workloads or clusters (spec 2)."""
    name = policy.name
    if not isinstance(name, Written):
        return
    shown = shorten(name.value)
    if _is_empty(policy.job_labels):
        findings.add(
            POLICY_FOR_NO_WORKLOAD,
            name.place,
            f'Filter policy "{shown}" has no labels_selector, so it applies to no workload.',
            "Add the labels of the workloads to labels_selector.",
        )
    if _is_empty(policy.include):
        findings.add(
            POLICY_WITHOUT_CLUSTERS,
            name.place,
            f'Filter policy "{shown}" includes no cluster, so its workloads are placed nowhere.',
            "Add the clusters to cluster_filter.include.",
        )
    for cluster in (*written_items(policy.include), *written_items(policy.exclude)):
        _check_cluster(cluster, declared, findings)


def _check_cluster(cluster: Written[str], declared: Collection[str], findings: Findings) -> None:
    """Report a name that no cluster can have, or that resembles that of a cluster."""
    if cluster.value in declared:
        return
    result = sanitized(cluster.value)
    choices = [result] if result != cluster.value else declared
    hint, repairs = did_you_mean(findings, cluster.place, cluster.value, choices)
    if repairs or result != cluster.value:
        findings.add(
            UNKNOWN_CLUSTER,
            cluster.place,
            f'The config has no cluster "{shorten(cluster.value)}".',
            hint or "Write the name that SkyShift gives to the cluster.",
            repairs,
        )


def _uses_policies(document: Document) -> bool:
    """Return whether the first Scheduler lists the plugin of filter policies, or may do so."""
    plugins = next((each.plugins for each in document.schedulers), None)
    if isinstance(plugins, Unread):
        return True
    names = [value_of(each.name) for each in plugins.value] if plugins is not None else []
    return FILTER_POLICY_PLUGIN in names


def _note_unused(policy: FilterPolicyDoc, findings: Findings) -> None:
    if isinstance(policy.name, Written):
        findings.add(
            POLICY_NOT_USED,
            policy.name.place,
            f'Filter policy "{shorten(policy.name.value)}" is not used, because the Scheduler does '
            f"not list {FILTER_POLICY_PLUGIN}.",
            f"Add {FILTER_POLICY_PLUGIN} to the plugins of the Scheduler.",
        )


def _is_empty(read: Read[tuple[T, ...]]) -> bool:
    return read is None or (isinstance(read, Written) and not read.value)
