"""Store a report of a whole cluster: compare it with the rows, and write only the differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from console.bulk import Prepared, delete_keys, insert_rows, update_rows
from console.capacity.models import Cluster, Node
from console.capacity.read_report import ClusterReport, ReportedNode, read_report
from console.capacity.signals import ChangeKind, ClusterChange, cluster_changed
from console.errors import Conflict
from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission

#: Maximum number of clusters of one organization.
MOST_CLUSTERS: Final = 500

#: Attempts to store a report while other requests change the same cluster.
_TRIES: Final = 5

#: Maximum number of node names in an audit entry and an event.
_NAMED: Final = 5

_CONTENT: Final = ("labels", "taints", "allocatable", "taken", "is_ready", "version")
_ADDED: Final = ("cluster_id", "name", "position", *_CONTENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportResult:
    """The stored cluster, and how it differs from the one before."""

    cluster: Cluster
    is_new: bool
    #: Numbers of nodes.
    added: int = 0
    changed: int = 0
    removed: int = 0
    #: Changed fields of the cluster itself, such as its state.
    fields: tuple[str, ...] = ()

    @property
    def is_unchanged(self) -> bool:
        """Whether the report repeated what was stored."""
        return not (self.is_new or self.added or self.changed or self.removed or self.fields)


def report_cluster(
    actor: Actor, name: str, report: Any, *, is_by_hand: bool = False
) -> ReportResult:
    """
    Store *report*, a whole cluster in the form of the API, as the cluster *name*.

    An unknown cluster is registered. Nodes that are not in the report are removed. A cluster that
    is loaded *is_by_hand* cannot become silent until its next heartbeat. Raises NotAllowed,
    BadRequest, and Conflict for too many clusters or if other requests keep changing this one.
    """
    actor.require(Permission.REPORT_CAPACITY)
    read = read_report(name, report)
    for _ in range(_TRIES):
        cluster = Cluster.objects.filter(org=actor.org, name=name).first()
        if cluster is None:
            result = _register(actor, name, read)
        else:
            result = _update(actor, cluster, read, is_by_hand=is_by_hand)
        if result is not None:
            return result
    raise Conflict(
        "concurrent_reports",
        f"Other requests are changing the cluster {name}; send the report again.",
    )


def _register(actor: Actor, name: str, report: ClusterReport) -> ReportResult | None:
    """Insert the cluster; None if it has been registered in the meantime."""
    if Cluster.objects.filter(org=actor.org).count() >= MOST_CLUSTERS:
        message = f"An organization has at most {MOST_CLUSTERS} clusters; delete one first."
        raise Conflict("too_many_clusters", message)
    cluster = Cluster(org=actor.org, name=name, last_seen=Now(), **_columns(report))
    try:
        with transaction.atomic():
            cluster.save(force_insert=True)
            rows = (
                (cluster.pk, node.name, position, *_content(node, cluster.version))
                for position, node in enumerate(report.nodes)
            )
            insert_rows(Node, _ADDED, rows).run()
            facts = {"nodes": len(report.nodes), "state": report.state.value}
            record(actor, "cluster.report", kind="cluster", subject=name, after=facts)
            _announce(actor, name, [ClusterChange(ChangeKind.REGISTERED, facts)])
            # After the transaction, the row could have the version of another report.
            cluster.refresh_from_db()
    except IntegrityError:
        if Cluster.objects.filter(org=actor.org, name=name).exists():
            return None
        raise
    return ReportResult(cluster=cluster, is_new=True, added=len(report.nodes))


def _update(
    actor: Actor, cluster: Cluster, report: ClusterReport, *, is_by_hand: bool
) -> ReportResult | None:
    """Write the differences; None if the cluster has changed in the meantime."""
    columns = _columns(report)
    fields = tuple(
        each for each in ("manager", "labels", "state") if getattr(cluster, each) != columns[each]
    )
    nodes = _NodeDifferences.between(cluster, report.nodes)
    concerns_engine = (
        bool(nodes.count) or cluster.is_silent or bool({"labels", "state"} & {*fields})
    )
    version = cluster.version + concerns_engine
    statements = nodes.prepare(cluster.pk, version)
    changes = []
    if cluster.is_silent:
        changes.append(ClusterChange(ChangeKind.RETURNED))
    before, after = _facts(cluster, fields, columns, nodes)
    if after:
        changes.append(ClusterChange(ChangeKind.CHANGED, after))
    if is_by_hand:
        columns["sends_heartbeats"] = False
    unchanged = Cluster.objects.filter(pk=cluster.pk, version=cluster.version)
    with transaction.atomic():
        if not unchanged.update(**columns, is_silent=False, version=version, last_seen=Now()):
            return None
        for statement in statements:
            statement.run()
        if after:
            record(
                actor,
                "cluster.report",
                kind="cluster",
                subject=cluster.name,
                before=before,
                after=after,
            )
        if changes:
            _announce(actor, cluster.name, changes, concerns_engine=concerns_engine)
        cluster.refresh_from_db()
    return ReportResult(
        cluster=cluster,
        is_new=False,
        added=len(nodes.added),
        changed=len(nodes.changed),
        removed=len(nodes.removed),
        fields=fields,
    )


@dataclass(frozen=True, slots=True)
class _NodeDifferences:
    """The differences between the nodes of the rows and those of a report."""

    added: list[tuple[int, ReportedNode]]
    #: By the key of the row.
    changed: dict[int, ReportedNode]
    #: Names by the key of the row.
    removed: dict[int, str]

    @classmethod
    def between(cls, cluster: Cluster, nodes: Iterable[ReportedNode]) -> _NodeDifferences:
        """Read the rows of *cluster*, and compare them with *nodes*."""
        columns = ("name", "pk", "position", *_CONTENT[:-1])
        rows = Node.objects.filter(cluster=cluster).values_list(*columns)
        stored = {name: (pk, position, content) for name, pk, position, *content in rows}
        end = 1 + max((position for _, position, _ in stored.values()), default=-1)
        added: list[tuple[int, ReportedNode]] = []
        changed: dict[int, ReportedNode] = {}
        for node in nodes:
            found = stored.pop(node.name, None)
            if found is None:
                added.append((end + len(added), node))
            elif found[2] != list(_content(node)):
                changed[found[0]] = node
        return cls(added, changed, {pk: name for name, (pk, _, _) in stored.items()})

    @property
    def count(self) -> int:
        """The number of nodes that differ."""
        return len(self.added) + len(self.changed) + len(self.removed)

    @property
    def facts(self) -> dict[str, Any]:
        """The numbers of nodes that differ, and the names of the first ones."""
        parts = {
            "added": [node.name for _, node in self.added],
            "changed": [node.name for node in self.changed.values()],
            "removed": list(self.removed.values()),
        }
        facts: dict[str, Any] = {part: len(names) for part, names in parts.items() if names}
        if facts:
            facts["names"] = [name for names in parts.values() for name in names][:_NAMED]
        return facts

    def prepare(self, cluster: int, version: int) -> list[Prepared]:
        """Return the statements that write the differences at *version* of the cluster."""
        found = []
        if self.removed:
            found.append(delete_keys(Node, self.removed))
        if self.changed:
            rows = ((pk, *_content(node, version)) for pk, node in self.changed.items())
            found.append(update_rows(Node, ("id", *_CONTENT), rows))
        if self.added:
            new = (
                (cluster, node.name, position, *_content(node, version))
                for position, node in self.added
            )
            found.append(insert_rows(Node, _ADDED, new))
        return found


def _content(node: ReportedNode, *version: int) -> tuple[Any, ...]:
    """Return the values of `_CONTENT`, with the *version* if it is given."""
    taints = [
        {"key": each.key, "value": each.value, "effect": each.effect.value} for each in node.taints
    ]
    return node.labels, taints, node.allocatable, node.taken or None, node.is_ready, *version


def _columns(report: ClusterReport) -> dict[str, Any]:
    """Return the columns of the cluster's row that a report determines."""
    offered: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    for node in report.nodes:
        offered.update(node.allocatable)
        taken.update(node.taken)
    return {
        "manager": report.manager,
        "labels": report.labels,
        "state": report.state.value,
        "node_count": len(report.nodes),
        "ready_nodes": sum(node.is_ready for node in report.nodes),
        "offered": dict(sorted(offered.items())),
        "taken": dict(sorted(taken.items())) or None,
    }


def _facts(
    cluster: Cluster, fields: tuple[str, ...], columns: Mapping[str, Any], nodes: _NodeDifferences
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return small facts of the cluster before and after; both are empty if nothing changed."""
    before = {each: getattr(cluster, each) for each in fields}
    after = {each: columns[each] for each in fields} | nodes.facts
    if nodes.count:
        before["nodes"], after["nodes"] = cluster.node_count, columns["node_count"]
    return before, after


def _announce(
    actor: Actor, name: str, changes: list[ClusterChange], *, concerns_engine: bool = True
) -> None:
    cluster_changed.send(
        Cluster,
        org_id=actor.org.pk,
        cluster=name,
        actor=actor.name,
        changes=changes,
        concerns_engine=concerns_engine,
    )
