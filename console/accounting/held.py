"""The quota that rows of workloads hold, by account."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from console.engine.live.mutations import usage_of
from console.workloads.models import State
from console.workloads.services.load_state import COLUMNS as ENGINE_COLUMNS
from console.workloads.services.load_state import engine_workload
from console.workloads.stored_texts import as_text, assignment_of, labels_of

#: States in which a workload holds quota.
HOLDING = (State.ADMITTED.value, State.PREEMPTING.value)

#: Columns of a workload from which its accounts follow.
COLUMNS = (*ENGINE_COLUMNS, "project", "queue", "state", as_text("assignment"))

_UID, _LABELS, _USER, _REMAINING = (
    ENGINE_COLUMNS.index("uid"),
    2,
    ENGINE_COLUMNS.index("user"),
    len(ENGINE_COLUMNS) - 2,
)


class AccountKey(NamedTuple):
    """What identifies an account in an organization; *labels* are canonical JSON."""

    queue: str
    user: str
    project: str
    labels: str
    flavor: str
    resource: str

    @property
    def digest(self) -> str:
        """The digest of `Account.digest`."""
        return hashlib.sha256(json.dumps(self).encode()).hexdigest()


def uid_of(row: tuple[Any, ...]) -> str:
    """Return the id of the workload of a row of `COLUMNS`."""
    uid: str = row[_UID]
    return uid


def add_held(held: Counter[AccountKey], row: tuple[Any, ...], sign: int = 1) -> None:
    """Add what the workload of a row of `COLUMNS` holds to *held*, in thousandths."""
    project, queue, state, assignment = row[len(ENGINE_COLUMNS) :]
    if state not in HOLDING:
        return
    labels = canonical_labels(row[_LABELS])
    usage = usage_of(engine_workload(row), assignment_of(assignment))
    for (flavor, resource), amount in usage.items():
        key = AccountKey(queue or "", row[_USER], project, labels, flavor, resource)
        held[key] += sign * amount


def changed_row(row: tuple[Any, ...], update: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return a row of `COLUMNS` after the *update* of a batch."""
    project, queue, state, assignment = row[len(ENGINE_COLUMNS) :]
    if "assignment" in update:
        assignment = json.dumps(update["assignment"])
    engine = list(row[: len(ENGINE_COLUMNS)])
    if update.get("remaining_pods") is not None:
        engine[_REMAINING] = json.dumps(update["remaining_pods"])
    return (
        *engine,
        project,
        update.get("queue", queue),
        update.get("state", state),
        assignment,
    )


def held_by(rows: Iterable[tuple[Any, ...]]) -> Counter[AccountKey]:
    """Return what the workloads of *rows* of `COLUMNS` hold, in thousandths."""
    held: Counter[AccountKey] = Counter()
    for row in rows:
        add_held(held, row)
    return held


@lru_cache(maxsize=20_000)
def canonical_labels(text: str) -> str:
    """Return labels as canonical JSON: databases return JSON in forms of their own."""
    return json.dumps(labels_of(text), sort_keys=True)
