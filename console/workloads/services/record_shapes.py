"""Recorded shapes: what was taken in, counted by day, so that configs can be judged by it later."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple

from console.bulk import Prepared, add_to_rows
from console.workloads.models import RecordedShape

_COLUMNS = (
    "org_id",
    "day",
    "digest",
    "label_set_id",
    "namespace",
    "requested_priority",
    "requests",
    "pod_sets",
    "runs",
)


class TakenIn(NamedTuple):
    """The shape of one workload as its row has it."""

    label_set: int
    namespace: str
    priority: int | None
    requests: dict[str, int]
    pod_sets: list[Any]


def record_shapes(org_id: int, day: date, taken_in: Iterable[TakenIn]) -> Prepared:
    """
    Return the statement that counts workloads *taken_in* on *day*.

    It belongs into the transaction that deletes their intake: then each is
    counted once, however often a batch is begun.
    """
    runs: Counter[str] = Counter()
    shapes: dict[str, TakenIn] = {}
    for shape in taken_in:
        digest = _digest(
            shape.label_set,
            shape.namespace,
            shape.priority,
            tuple(shape.requests.items()),
            _canonical(shape.pod_sets) if shape.pod_sets else "[]",
        )
        runs[digest] += 1
        shapes[digest] = shape
    return add_to_rows(
        RecordedShape,
        _COLUMNS,
        ((org_id, day, digest, *shapes[digest], count) for digest, count in runs.items()),
        key=("org_id", "day", "digest"),
        count="runs",
    )


# Few different shapes come by the thousands: each is hashed once.
@lru_cache(maxsize=20_000)
def _digest(
    label_set: int,
    namespace: str,
    priority: int | None,
    requests: tuple[tuple[str, int], ...],
    pod_sets: str,
) -> str:
    content = _canonical([label_set, namespace, priority, dict(requests), pod_sets])
    return hashlib.sha256(content.encode()).hexdigest()


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
