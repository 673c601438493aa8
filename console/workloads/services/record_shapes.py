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
    "facts",
    "runs",
)


class TakenIn(NamedTuple):
    """The shape of one workload as its row has it, what is JSON as text."""

    label_set: int
    namespace: str
    priority: int | None
    requests: str
    pod_sets: str
    facts: str | None


def record_shapes(org_id: int, day: date, taken_in: Iterable[TakenIn]) -> Prepared:
    """
    Return the statement that counts workloads *taken_in* on *day*.

    It belongs into the transaction that deletes their intake: then each is
    counted once, however often a batch is begun.
    """
    runs: Counter[str] = Counter()
    rows: dict[str, tuple[Any, ...]] = {}
    for shape, count in Counter(taken_in).items():
        digest, requests, pod_sets, facts = _read(shape)
        runs[digest] += count
        rows[digest] = (*shape[:3], requests, pod_sets, facts)
    return add_to_rows(
        RecordedShape,
        _COLUMNS,
        ((org_id, day, digest, *rows[digest], count) for digest, count in runs.items()),
        key=("org_id", "day", "digest"),
        count="runs",
    )


# Few different shapes come by the thousands: each is hashed once. Texts may differ in the order
# of their keys alone, digests do not.
@lru_cache(maxsize=20_000)
def _read(shape: TakenIn) -> tuple[str, dict[str, int], list[Any], dict[str, Any] | None]:
    requests, pod_sets = json.loads(shape.requests), json.loads(shape.pod_sets)
    told = _canonical(pod_sets) if pod_sets else "[]"
    # Shapes without facts keep the digest that they had before there were any.
    facts = None if shape.facts is None else json.loads(shape.facts)
    some = [] if facts is None else [facts]
    content = _canonical([*shape[:3], requests, told, *some])
    return hashlib.sha256(content.encode()).hexdigest(), requests, pod_sets, facts


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
