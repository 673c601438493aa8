"""Objects with a deletion timestamp: their effect until they are deleted."""

from __future__ import annotations

from typing import Final

from console.dialects.findings import Findings
from console.dialects.kueue.lint_codes import BEING_DELETED
from console.dialects.kueue.schema import (
    CohortDoc,
    Document,
    FlavorDoc,
    LocalQueueDoc,
    NamespaceDoc,
    PriorityClassDoc,
    QueueDoc,
)
from console.dialects.wording import shorten
from console.dialects.written import value_of

_COUNTS: Final = "it counts as before until it is gone"
#: Class of an object -> its kind, and its effect while it is deleted (Kueue, spec 2.4).
_MEANING: Final = {
    QueueDoc: (
        "ClusterQueue",
        "it admits nothing new, and its quota and usage count until it is gone",
    ),
    NamespaceDoc: ("Namespace", "its LocalQueues admit nothing new"),
    CohortDoc: ("Cohort", _COUNTS),
    FlavorDoc: ("ResourceFlavor", _COUNTS),
    LocalQueueDoc: ("LocalQueue", _COUNTS),
    PriorityClassDoc: ("WorkloadPriorityClass", _COUNTS),
}


def lint_deleted(document: Document, findings: Findings) -> None:
    """Report every object with a deletionTimestamp."""
    for each in document.objects():
        if each.deleted is not None:
            kind, meaning = _MEANING[type(each)]
            findings.add(
                BEING_DELETED,
                each.deleted,
                f'{kind} "{shorten(value_of(each.name) or "")}" is being deleted: {meaning}.',
                "Remove the object from the text once it is gone.",
            )
