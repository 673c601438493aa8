"""Record shapes of submitted workloads, counted by day, to evaluate configs with them later."""

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


class SubmittedShape(NamedTuple):
    """The shape of one workload as in its row, with JSON as text."""

    label_set: int
    namespace: str
    priority: int | None
    requests: str
    pod_sets: str
    facts: str | None


def record_shapes(org_id: int, day: date, shapes: Iterable[SubmittedShape]) -> Prepared:
    """
    Return the statement that counts *shapes* of submitted workloads on *day*.

    It has to run in the transaction that deletes their intake: so each workload is counted once,
    even if a batch is repeated.
    """
    runs: Counter[str] = Counter()
    rows: dict[str, tuple[Any, ...]] = {}
    for shape, count in Counter(shapes).items():
        digest, requests, pod_sets, facts = _read(shape)
        runs[digest] += count
        rows[digest] = (*shape[:3], requests, pod_sets, facts)
    return add_to_rows(
        RecordedShape,
        _COLUMNS,
        ((org_id, day, digest, *rows[digest], count) for digest, count in runs.items()),
        key=("org_id", "day", "digest"),
        counts=("runs",),
    )


# Thousands of workloads have few different shapes: each is hashed once. Texts of one shape may
# differ only in the order of keys, and their digests are equal.
@lru_cache(maxsize=20_000)
def _read(shape: SubmittedShape) -> tuple[str, dict[str, int], list[Any], dict[str, Any] | None]:
    requests, pod_sets = json.loads(shape.requests), json.loads(shape.pod_sets)
    pod_sets_text = _canonical(pod_sets) if pod_sets else "[]"
    # The digest of shapes without facts stays the same as before facts were added.
    facts = None if shape.facts is None else json.loads(shape.facts)
    some = [] if facts is None else [facts]
    content = _canonical([*shape[:3], requests, pod_sets_text, *some])
    return hashlib.sha256(content.encode()).hexdigest(), requests, pod_sets, facts


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
