"""A new ClusterQueue, with the LocalQueue that routes workloads to it."""

from __future__ import annotations

from typing import Any, Final

from console.dialects.findings import Findings, Place
from console.dialects.kueue.compile_routing import NAME_LABEL
from console.dialects.kueue.manifests import GROUP, KINDS
from console.dialects.kueue.parse import parse
from console.dialects.kueue.parse_queue import COHORT_OF
from console.dialects.kueue.schema import Document
from console.dialects.manifest_items import field_text, insert_manifests
from console.dialects.new_groups import GroupWords
from console.dialects.new_queues import FormField, NewQueue, NewQueues, NumberField, QueueEdits
from console.dialects.source import Source
from console.dialects.written import value_of
from console.dialects.yaml_items import OnOneLine

_WORDS: Final = GroupWords(
    groups="resourceGroups",
    covered="coveredResources",
    nominal="nominalQuota",
    borrowing="borrowingLimit",
    lending="lendingLimit",
)
#: The resources of a text that does not state any.
_USUAL: Final = ("cpu", "memory")


def _document(source: Source) -> Document:
    return parse(source.roots, Findings(source.positions))


def _fields(source: Source) -> tuple[FormField, ...]:
    document = _document(source)
    cohorts = [value_of(each.name) for each in document.cohorts]
    cohorts += [value_of(each.parent) for each in document.queues]
    namespaces = [value_of(each.name) for each in document.namespaces]
    namespaces += [value_of(each.namespace) for each in document.local_queues]
    return (
        FormField(
            name="cohort",
            title="Cohort",
            hint="Queues of a cohort borrow quota from each other. Empty: none.",
            values=tuple(dict.fromkeys(each for each in cohorts if each)),
        ),
        FormField(
            name="namespace",
            title="Namespace",
            hint="The namespace of the LocalQueue. Only its workloads may use the queue.",
            values=tuple(dict.fromkeys(each for each in namespaces if each)),
            is_required=True,
        ),
        FormField(
            name="local_queue",
            title="LocalQueue",
            hint="Its name in the namespace. Empty: the name of the queue.",
            values=tuple(
                dict.fromkeys(name for q in document.local_queues if (name := value_of(q.name)))
            ),
        ),
    )


def _numbers(source: Source) -> tuple[NumberField, ...]:
    document = _document(source)
    flavors = [name for each in document.flavors if (name := value_of(each.name))]
    covered = dict.fromkeys(
        name
        for node in document.nodes()
        for quota in node.quotas()
        for resource in quota.each()
        if (name := value_of(resource.name))
    )
    return _WORDS.numbers(flavors, list(covered) or _USUAL)


def _write(source: Source, queue: NewQueue) -> QueueEdits | None:
    document, roots = _document(source), source.roots
    cohort, namespace = queue.value("cohort"), queue.value("namespace")
    local = queue.value("local_queue") or queue.name
    known = ((value_of(q.namespace), value_of(q.name)) for q in document.local_queues)
    if (namespace, local) in known:
        problem = f"Namespace {namespace} has a LocalQueue {local} already. Enter another name."
        return QueueEdits(problems={"local_queue": problem})
    beside = _beside(document, cohort)
    if beside is None:
        return None
    written = field_text(roots, beside, "apiVersion").removeprefix(f"{GROUP}/")
    version = written if written in COHORT_OF else KINDS["ClusterQueue"][1][0]
    api = f"{GROUP}/{version}"
    cluster_queue: dict[str, Any] = {
        "apiVersion": api,
        "kind": "ClusterQueue",
        "metadata": {"name": queue.name},
        "spec": {
            **({COHORT_OF[version]: cohort} if cohort else {}),
            "namespaceSelector": {"matchLabels": OnOneLine({NAME_LABEL: namespace})},
            **_WORDS.fields(queue.numbers),
        },
    }
    local_queue = {
        "apiVersion": api,
        "kind": "LocalQueue",
        "metadata": OnOneLine(name=local, namespace=namespace),
        "spec": {"clusterQueue": queue.name},
    }
    locals_ = [each.place for each in document.local_queues]
    if not locals_:
        edits = insert_manifests(source.positions, roots, beside, [cluster_queue, local_queue])
    else:
        first = insert_manifests(source.positions, roots, beside, [cluster_queue])
        second = insert_manifests(source.positions, roots, locals_[-1], [local_queue])
        edits = (*first, *second) if first and second else None
    return None if edits is None else QueueEdits(edits=edits)


def _beside(document: Document, cohort: str) -> Place | None:
    """
    Return the place behind which the queue comes.

    It is the last queue of its cohort, or of all, or else the last flavor or cohort.
    """
    same = [each.place for each in document.queues if cohort and value_of(each.parent) == cohort]
    queues = [each.place for each in document.queues]
    others = [each.place for each in document.cohorts]
    others += [each.place for each in document.flavors]
    found = same or queues or others
    return max(found, key=lambda place: place.start, default=None)


NEW_QUEUES: Final = NewQueues(
    fields=_fields,
    numbers=_numbers,
    write=_write,
    about_route="A new LocalQueue leads to the queue. Workloads of its namespace name it with the "
    "label kueue.x-k8s.io/queue-name.",
)
