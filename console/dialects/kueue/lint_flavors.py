"""Lints of unused flavors, and of flavors that count a resource of the same nodes twice."""

from __future__ import annotations

from collections import defaultdict

from console.dialects.findings import Findings
from console.dialects.kueue.lint_codes import FLAVOR_UNUSED, SAME_NODES
from console.dialects.kueue.schema import Document, FlavorDoc
from console.dialects.wording import listed, shorten
from console.dialects.written import Written, value_of

#: Maximum number of resources in a message; the remaining ones are counted.
_NAMED = 3


def lint_flavors(document: Document, findings: Findings) -> None:
    """Report unused flavors, and flavors with quota for the same nodes."""
    owned = _owned(document)
    has_nodes = any(True for _ in document.nodes())
    #: By nodes and resource: the first flavor with quota.
    first_of: dict[tuple[object, str], Written[str]] = {}
    for flavor in document.flavors:
        name = flavor.name
        if not isinstance(name, Written):
            continue
        if name.value not in owned and not has_nodes:
            # The text has only flavors: the queues that use them are in another text.
            continue
        if name.value not in owned:
            findings.add(
                FLAVOR_UNUSED,
                name.place,
                f'No queue or cohort uses flavor "{shorten(name.value)}".',
                "Add it to a resource group, or remove it.",
            )
            continue
        nodes = _nodes(flavor)
        if nodes is None:
            continue
        twice: dict[str, list[str]] = {}
        for resource in owned[name.value]:
            first = first_of.setdefault((nodes, resource), name)
            if first.value != name.value:
                twice.setdefault(first.value, []).append(resource)
        for other, resources in twice.items():
            shown = [shorten(resource) for resource in resources[:_NAMED]]
            more = [f"{len(resources) - _NAMED} more"] if len(resources) > _NAMED else []
            findings.add(
                SAME_NODES,
                name.place,
                f'Flavors "{shorten(other)}" and "{shorten(name.value)}" select the same nodes '
                f"and both have quota of {listed([*shown, *more], 'and')}: their nodeLabels and "
                "nodeTaints are equal.",
                "Give them different labels, or keep one of them.",
            )


def _owned(document: Document) -> dict[str, dict[str, None]]:
    """Return the resources with nominal quota above 0 in a queue or cohort, by flavor, in order."""
    owned: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for node in document.nodes():
        for quota in node.quotas():
            resources = owned[value_of(quota.name) or ""]
            for resource in quota.each():
                if isinstance(resource.nominal, Written) and resource.nominal.value.nanos > 0:
                    resources[value_of(resource.name) or ""] = None
    return owned


def _nodes(flavor: FlavorDoc) -> object | None:
    """
    Return the identity of the nodes of a flavor.

    None for a flavor without labels and taints, which does not select nodes, so that nothing is
    counted twice.
    """
    labels = flavor.node_labels.value if isinstance(flavor.node_labels, Written) else ()
    taints = flavor.taints.value if isinstance(flavor.taints, Written) else ()
    if not labels and not taints:
        return None
    return (
        frozenset((key.value, value_of(value)) for key, value in labels),
        frozenset((value_of(t.key), value_of(t.value), value_of(t.effect)) for t in taints),
    )
