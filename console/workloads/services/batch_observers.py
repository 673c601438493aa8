"""
Batch observers: functions of other apps that write in the transaction of a decided batch.

Series, metrics and webhooks observe the engine, which does not depend on them. The setting
`BATCH_OBSERVERS` has the paths of their functions in the order of the calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.utils.module_loading import import_string

from console.bulk import Prepared
from console.engine.live.dirty_set import DirtySet
from console.engine.state import State
from console.orgs.models import Organization
from console.workloads.services.batch import Batch
from console.workloads.transitions import Transition


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedBatch:
    """A batch that the engine has decided and that is not yet written."""

    org: Organization
    batch: Batch
    #: Version of the engine's row once the batch is written.
    version: int
    #: The state that has just settled; observers only read it.
    state: State
    changes: DirtySet
    transitions: Sequence[Transition]
    #: How long each request waited for this batch, in seconds.
    intake_waits: Sequence[float]
    #: When work on the batch began, by `time.perf_counter`.
    begun: float
    #: How long the state was loaded from rows before its first batch, in seconds; None later.
    load: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Writes:
    """The writes of an observer in the transaction of a batch."""

    #: Statements to send without waiting for each answer.
    statements: tuple[Prepared, ...] = ()
    #: Called at the end of the transaction, for writes that depend on reads.
    finish: Callable[[], None] | None = None


#: Returns the writes that follow from a batch. It may read rows, which do not have the batch yet.
BatchObserver = Callable[[DecidedBatch], Writes]


def observe_batch(decided: DecidedBatch) -> list[Writes]:
    """Return the writes of all observers for *decided*, in order."""
    return [observer(decided) for observer in _observers()]


@cache
def _observers() -> tuple[BatchObserver, ...]:
    return tuple(import_string(path) for path in settings.BATCH_OBSERVERS)
