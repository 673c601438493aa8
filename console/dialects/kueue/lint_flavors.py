"""Flavors that no quota is in, and flavors that stand for the same nodes."""

from __future__ import annotations

from console.dialects.findings import Findings
from console.dialects.kueue.lint_codes import FLAVOR_UNUSED, SAME_NODES
from console.dialects.kueue.schema import Document, FlavorDoc
from console.dialects.wording import shorten
from console.dialects.written import Written, value_of


def lint_flavors(document: Document, findings: Findings) -> None:
    """Note flavors that matter nowhere, or twice."""
    used = {value_of(quota.name) for node in document.nodes() for quota in node.quotas()}
    first_of: dict[object, Written[str]] = {}
    for flavor in document.flavors:
        name = flavor.name
        if not isinstance(name, Written):
            continue
        if name.value not in used:
            findings.add(
                FLAVOR_UNUSED,
                name.place,
                f'No queue or cohort uses flavor "{shorten(name.value)}".',
                "Add it to a resource group, or remove it.",
            )
            continue
        first = first_of.setdefault(_nodes(flavor), name)
        if first is not name:
            findings.add(
                SAME_NODES,
                name.place,
                f'Flavors "{shorten(first.value)}" and "{shorten(name.value)}" stand for the same '
                "nodes: their nodeLabels and nodeTaints are equal.",
                "Tell them apart by a label, or keep one of them.",
            )


def _nodes(flavor: FlavorDoc) -> object:
    """Return what tells the nodes of a flavor apart from others."""
    labels = flavor.node_labels.value if isinstance(flavor.node_labels, Written) else ()
    taints = flavor.taints.value if isinstance(flavor.taints, Written) else ()
    return (
        frozenset((key.value, value_of(value)) for key, value in labels),
        frozenset((value_of(t.key), value_of(t.value), value_of(t.effect)) for t in taints),
    )
