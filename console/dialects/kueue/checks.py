"""Checks between objects, and between the fields of one object (Kueue, spec 1.2 to 1.6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from console.dialects.expression_values import Operators, check_values
from console.dialects.findings import Findings, Repair
from console.dialects.kueue.codes import (
    COHORT_CYCLE,
    COHORTS_TOO_DEEP,
    DUPLICATE_OBJECT,
    UNKNOWN_FLAVOR,
    VALUES_MISSING,
    VALUES_NOT_ALLOWED,
)
from console.dialects.kueue.group_checks import check_groups
from console.dialects.kueue.names import (
    check_label_key,
    check_label_value,
    check_labels,
    check_name,
    is_dns_subdomain,
)
from console.dialects.kueue.queue_checks import check_queue
from console.dialects.kueue.schema import CohortDoc, Document, SelectorDoc
from console.dialects.kueue.texts import append_document
from console.dialects.kueue.words import SelectorOperator
from console.dialects.repairs import did_you_mean, remove_field
from console.dialects.repeated import note_repeated
from console.dialects.scalars import write_text
from console.dialects.wording import shorten
from console.dialects.written import Read, Written, written_items

_OPERATORS = Operators(
    is_in=SelectorOperator.IN,
    not_in=SelectorOperator.NOT_IN,
    exists=SelectorOperator.EXISTS,
    does_not_exist=SelectorOperator.DOES_NOT_EXIST,
    missing=VALUES_MISSING,
    not_allowed=VALUES_NOT_ALLOWED,
)

#: Maximum depth of a tree: deeper than real configs, and safe for recursion.
MAX_COHORT_LEVELS: Final = 32


def check(document: Document, findings: Findings) -> None:
    """Report errors between the fields and objects of *document*."""
    for kind, names in (
        ("ResourceFlavor", [flavor.name for flavor in document.flavors]),
        ("Cohort", [cohort.name for cohort in document.cohorts]),
        ("ClusterQueue", [queue.name for queue in document.queues]),
        ("WorkloadPriorityClass", [each.name for each in document.priority_classes]),
        ("Namespace", [namespace.name for namespace in document.namespaces]),
        ("LocalQueue", list(_full_names(document))),
    ):
        _first_of_each(kind, names, findings)
    for extra in document.configurations[1:]:
        findings.add(
            DUPLICATE_OBJECT,
            extra.place._replace(end=extra.place.start),
            "A second Configuration begins here; Kueue has one.",
            "Remove one of them.",
        )
    _check_flavors(document, findings)
    for node in document.nodes():
        check_groups(node, findings)
    concurrent = document.gate("ConcurrentAdmission")
    for queue in document.queues:
        check_queue(queue, findings, concurrent=concurrent)
        check_name(queue.parent, "the name of a Cohort", findings)
        if isinstance(queue.namespaces, Written):
            _check_selector(queue.namespaces.value, findings)
    for cohort in document.cohorts:
        check_name(cohort.parent, "the name of a Cohort", findings)
    _check_parents(document.cohorts, findings)


def _first_of_each(
    kind: str, names: Iterable[Read[str]], findings: Findings
) -> dict[str, Written[str]]:
    written = [name for name in names if isinstance(name, Written)]
    return note_repeated(findings, DUPLICATE_OBJECT, written, kind)


def _full_names(document: Document) -> Iterator[Read[str]]:
    """Yield the names of LocalQueues with their namespaces."""
    for queue in document.local_queues:
        name, namespace = queue.name, queue.namespace
        if isinstance(name, Written) and isinstance(namespace, Written):
            yield Written(f"{namespace.value}/{name.value}", name.place)


def _check_flavors(document: Document, findings: Findings) -> None:
    """Report every flavor that is referenced and not defined."""
    all_known = document.all_known()
    defined = {flavor.name.value for flavor in document.flavors if isinstance(flavor.name, Written)}
    for node in document.nodes():
        for quota in node.quotas():
            name = quota.name
            if not isinstance(name, Written) or name.value in defined:
                continue
            if not is_dns_subdomain(name.value):
                check_name(name, "the name of a ResourceFlavor", findings)
                continue
            hint, repairs = did_you_mean(findings, name.place, name.value, defined)
            if repairs or all_known:
                findings.add(
                    UNKNOWN_FLAVOR,
                    name.place,
                    f'ResourceFlavor "{shorten(name.value)}" does not exist.',
                    hint or "Add it, or use a flavor that exists.",
                    (*repairs, _new_flavor(name.value, findings)),
                )


def _new_flavor(name: str, findings: Findings) -> Repair:
    return append_document(
        findings,
        f"Add ResourceFlavor {shorten(name)}",
        "apiVersion: kueue.x-k8s.io/v1beta2",
        "kind: ResourceFlavor",
        f"metadata: {{ name: {write_text(name)} }}",
    )


def _check_selector(selector: SelectorDoc, findings: Findings) -> None:
    if isinstance(selector.labels, Written):
        check_labels(selector.labels.value, "label", findings)
    for expression in selector.expressions:
        check_label_key(expression.key, "the key of a label", findings)
        for value in written_items(expression.values):
            check_label_value(value, "the value of a label", findings)
        check_values(expression.operator, expression.values, _OPERATORS, findings)


def _check_parents(cohorts: tuple[CohortDoc, ...], findings: Findings) -> None:
    """Report every cycle of cohorts once, and every chain that is too long."""
    parents: dict[str, Written[str]] = {}
    for cohort in cohorts:
        if isinstance(cohort.name, Written) and isinstance(cohort.parent, Written):
            parents.setdefault(cohort.name.value, cohort.parent)
    #: Number of ancestors of each cohort, as far as known; 0 in a cycle.
    levels: dict[str, int] = {}
    for name in parents:
        path: dict[str, None] = {}
        at = name
        while at in parents and at not in levels and at not in path:
            path[at] = None
            at = parents[at].value
        chain = list(path)
        if at in path:
            circle = chain[chain.index(at) :]
            _note_circle(circle, parents, findings)
            levels.update(dict.fromkeys(circle, 0))
            del chain[chain.index(at) :]
        _note_levels(chain, levels.get(at, 0), levels, parents, findings)


def _note_levels(
    chain: list[str],
    above: int,
    levels: dict[str, int],
    parents: dict[str, Written[str]],
    findings: Findings,
) -> None:
    for below in reversed(chain):
        above += 1
        levels[below] = above
        if above == MAX_COHORT_LEVELS:
            findings.add(
                COHORTS_TOO_DEEP,
                parents[below].place,
                f'Cohort "{shorten(below)}" is on level {above + 1}; cohorts nest '
                f"{MAX_COHORT_LEVELS} levels at most.",
            )


def _note_circle(circle: list[str], parents: dict[str, Written[str]], findings: Findings) -> None:
    way = " -> ".join(shorten(name) for name in [*circle[:5], *(["…"] if circle[5:] else [])])
    last = parents[circle[-1]]
    findings.add(
        COHORT_CYCLE,
        last.place,
        f"Cohort cycle: {way} -> {shorten(circle[0])}.",
        f'Remove the parent of one of them, such as "{shorten(circle[-1])}".',
        (remove_field(findings, last.place, last.place.path.rpartition(".")[2]),),
    )
