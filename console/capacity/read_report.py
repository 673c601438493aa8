"""Validation of reports of clusters: labels, state and nodes with their amounts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from console.capacity.models import ClusterState
from console.engine.model.nodes import Taint, TaintEffect
from console.reading import Reader, join

#: Maximum number of nodes of one cluster.
MOST_NODES: Final = 5000

#: Maximum number of labels, of taints and of resources of one node.
MOST_LABELS: Final = 200
MOST_TAINTS: Final = 50
MOST_RESOURCES: Final = 50

#: Maximum number of characters of a name, of a label key with its prefix, of a label value, and of
#: the manager.
LONGEST_NAME: Final = 253
LONGEST_KEY: Final = 317
LONGEST_VALUE: Final = 253
LONGEST_MANAGER: Final = 40

FIELDS: Final = ("manager", "labels", "state", "nodes")
NODE_FIELDS: Final = ("name", "labels", "taints", "allocatable", "taken", "ready")

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedNode:
    """One node of a report."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    #: In thousandths by resource, without zeros.
    allocatable: Mapping[str, int] = field(default_factory=dict)
    #: What pods of other schedulers use, in the same form.
    taken: Mapping[str, int] = field(default_factory=dict)
    is_ready: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterReport:
    """A whole cluster at one time, as its agent reports it."""

    manager: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    state: ClusterState = ClusterState.READY
    nodes: tuple[ReportedNode, ...] = ()


def read_report(name: str, value: Any) -> ClusterReport:
    """
    Return the report *value* of the cluster *name*; raises BadRequest with all invalid fields.

    Without a state, the cluster is ready, and so is a node without `ready`. Amounts are numbers
    with at most three decimals, or Kubernetes quantities such as ``64Gi``.
    """
    reader = Reader()
    _name(reader, name, "name")
    get = reader.mapping(value, "", FIELDS, required=("nodes",)).get
    state = get("state")
    report = ClusterReport(
        manager=reader.text(get("manager"), "manager", LONGEST_MANAGER).strip(),
        labels=_labels(reader, get("labels"), "labels"),
        state=ClusterState.READY
        if state is None
        else ClusterState(reader.choice(state, "state", ClusterState.values)),
        nodes=tuple(
            _node(reader, item, f"nodes[{i}]")
            for i, item in enumerate(reader.items(get("nodes", []), "nodes", 0, MOST_NODES))
        ),
    )
    _check_names(reader, report.nodes)
    reader.finish()
    return report


def _check_names(reader: Reader, nodes: tuple[ReportedNode, ...]) -> None:
    first: dict[str, int] = {}
    for i, node in enumerate(nodes):
        before = first.setdefault(node.name, i)
        if node.name and before != i:
            message = f"nodes[{before}] is called {node.name} too; give each node its own name."
            reader.refuse(f"nodes[{i}].name", "repeated_name", message)


def _node(reader: Reader, value: Any, path: str) -> ReportedNode:
    fields = reader.mapping(value, path, NODE_FIELDS, required=("name",))
    get = fields.get
    ready = get("ready")
    return ReportedNode(
        name=_name(reader, fields["name"], f"{path}.name") if "name" in fields else "",
        labels=_labels(reader, get("labels"), f"{path}.labels"),
        taints=_taints(reader, get("taints"), f"{path}.taints"),
        allocatable=_amounts(reader, get("allocatable"), f"{path}.allocatable"),
        taken=_amounts(reader, get("taken"), f"{path}.taken"),
        is_ready=True if ready is None else reader.flag(ready, f"{path}.ready"),
    )


def _name(reader: Reader, value: Any, path: str) -> str:
    name = reader.text(value, path, LONGEST_NAME, blank=False)
    if name and not _NAME.fullmatch(name):
        message = (
            "A name has letters, digits, dots, dashes and underscores, and begins and ends with a "
            "letter or digit."
        )
        reader.refuse(path, "invalid_name", message)
    return name


def _labels(reader: Reader, value: Any, path: str) -> dict[str, str]:
    found = {}
    for key, text in reader.entries(value, path, MOST_LABELS, LONGEST_KEY):
        place = join(path, key)
        if text is None:
            reader.refuse(place, "wrong_type", "This has to be a string, not null.")
        found[key] = reader.text(text, place, LONGEST_VALUE)
    return found


def _taints(reader: Reader, value: Any, path: str) -> tuple[Taint, ...]:
    items = () if value is None else reader.items(value, path, 0, MOST_TAINTS)
    return tuple(_taint(reader, item, f"{path}[{i}]") for i, item in enumerate(items))


def _taint(reader: Reader, value: Any, path: str) -> Taint:
    required = ("key", "effect")
    fields = reader.mapping(value, path, ("key", "value", "effect"), required)
    if not fields.keys() >= set(required):
        return Taint("")
    effects = [each.value for each in TaintEffect]
    return Taint(
        key=reader.text(fields["key"], f"{path}.key", LONGEST_KEY, blank=False),
        value=reader.text(fields.get("value"), f"{path}.value", LONGEST_VALUE),
        effect=TaintEffect(reader.choice(fields["effect"], f"{path}.effect", effects)),
    )


def _amounts(reader: Reader, value: Any, path: str) -> dict[str, int]:
    found = {}
    for resource, amount in reader.entries(value, path, MOST_RESOURCES, LONGEST_KEY):
        thousandths = reader.quantity(amount, join(path, resource), resource)
        if thousandths:
            found[resource] = thousandths
    return found
