"""Listings of `scontrol show nodes --json`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

#: States and flags of a node that accepts no new jobs.
_NOT_READY: Final = frozenset(
    (
        *("BLOCKED", "DOWN", "DRAIN", "DRAINED", "DRAINING", "ERROR", "FAIL", "FAILING", "FUTURE"),
        *("INVAL", "INVALID_REG", "MAINT", "MAINTENANCE", "NOT_RESPONDING", "NO_RESPOND"),
        *("POWERING_DOWN", "REBOOT_ISSUED", "UNKNOWN"),
    )
)

_MEBIBYTE: Final = 2**20

#: The count of a generic resource.
_COUNT: Final = re.compile(r"(\d{1,15})([KMGT]?)")
_UNITS: Final = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}

_FIELDS: Final = {"allocatable": "", "labels": "features", "ready": "state"}
_PATH: Final = re.compile(r"(nodes\[\d+\])\.([a-z]+)")


def recognizes(document: Any) -> bool:
    """Return whether *document* is a listing of Slurm's nodes."""
    nodes = document.get("nodes") if isinstance(document, dict) else None
    return isinstance(nodes, list) and (
        any(isinstance(each, dict) and "real_memory" in each for each in nodes)
        or (not nodes and "meta" in document)
    )


def report_of(document: dict[str, Any]) -> dict[str, Any]:
    """
    Return the nodes as a report.

    ``cpu`` and ``memory`` are the amounts that jobs may use. Generic resources have their names,
    such as ``gpu``, and in addition their types, such as ``gpu:a100``. Features and partitions are
    labels ``feature/NAME`` and ``partition/NAME`` with the value ``true``.
    """
    return {"manager": "slurm", "nodes": [_node(each) for each in document["nodes"]]}


def place_of(path: str) -> str:
    """
    Return the place in the listing of a *path* in the report.

    >>> place_of("nodes[3].labels.feature/a100"), place_of("nodes[3].name")
    ('nodes[3].features', 'nodes[3].name')
    """
    found = _PATH.match(path)
    if found is None or found[2] not in _FIELDS:
        return path
    return f"{found[1]}.{_FIELDS[found[2]]}".rstrip(".")


def _node(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    cpus = _number(item.get("effective_cpus")) or _number(item.get("cpus"))
    memory = _number(item.get("real_memory")) - _number(item.get("specialized_memory"))
    labels = [f"feature/{each}" for each in _words(item.get("features"))]
    labels += [f"partition/{each}" for each in _words(item.get("partitions"))]
    if architecture := item.get("architecture"):
        labels.append(f"architecture/{architecture}")
    return {
        "name": item.get("name"),
        "labels": dict.fromkeys(labels, "true"),
        "allocatable": {
            "cpu": cpus,
            "memory": max(0, memory) * _MEBIBYTE,
            **_generic(str(item.get("gres") or "")),
        },
        "ready": _NOT_READY.isdisjoint(word.rstrip("*~#!%$@^-+").upper() for word in _states(item)),
    }


def _generic(gres: str) -> dict[str, int]:
    """
    Return the generic resources of a node by name, and by name with type.

    >>> _generic("gpu:a100:4(S:0-1),gpu:T4:2,shard:8,disk:no_consume:4K")
    {'disk': 4096, 'gpu': 6, 'gpu:T4': 2, 'gpu:a100': 4, 'shard': 8}
    """
    found: dict[str, int] = {}
    for part in re.sub(r"\([^)]*\)", "", gres).split(","):
        name, *words = part.strip().split(":")
        counted = _COUNT.fullmatch(words[-1]) if words else None
        count = int(counted[1]) * _UNITS[counted[2]] if counted else 1
        kinds = words[:-1] if counted else words
        for resource in (name, *(f"{name}:{kind}" for kind in kinds if kind != "no_consume")):
            if name:
                found[resource] = found.get(resource, 0) + count
    return dict(sorted(found.items()))


def _number(value: Any) -> int:
    """Return a number, which newer versions of Slurm print as an object; 0 if it is not set."""
    if isinstance(value, dict):
        value = value.get("number") if value.get("set", True) else 0
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _states(item: dict[str, Any]) -> Iterable[str]:
    """Return the states and flags; older versions of Slurm print one text and a list of flags."""
    return [
        each
        for name in ("state", "state_flags")
        for text in _words(item.get(name))
        for each in text.split("+")
    ]


def _words(value: Any) -> list[str]:
    if isinstance(value, str):
        return [word for word in value.split(",") if word]
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
