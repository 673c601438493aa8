"""The history of one workload as phases: waiting for a reason, running, and stopping."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from console.engine.model.common_reasons import NOT_EVALUATED
from console.engine.model.decision import Outcome
from console.workloads.models import LIVE, Decision, Event, EventType, Workload

#: Maximum number of decisions and of releases of a workload that are read, the newest.
MOST_MARKS = 200


class PhaseKind(StrEnum):
    """The kind of a phase."""

    WAITING = "waiting"
    RUNNING = "running"
    #: Preempted, and still using its quota.
    STOPPING = "stopping"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One phase; *end* is None for a phase that continues."""

    kind: PhaseKind
    #: The reason of the decision that started it.
    reason: str
    start: datetime
    end: datetime | None
    #: Config version of that decision; None before the first decision.
    config_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseHistory:
    """The phases of a workload, oldest first."""

    phases: tuple[Phase, ...]
    #: Whether earlier phases are omitted.
    is_cut: bool


_KINDS = {
    Outcome.PENDING.value: PhaseKind.WAITING,
    Outcome.ADMITTED.value: PhaseKind.RUNNING,
    Outcome.PREEMPTED.value: PhaseKind.STOPPING,
}


def phase_history(workload: Workload) -> PhaseHistory:
    """Return the phases of *workload*, from its newest `MOST_MARKS` decisions and releases."""
    decisions = Decision.objects.filter(workload=workload, outcome__in=list(_KINDS))
    columns = ("created_at", "outcome", "reason", "config_version")
    newest = list(decisions.order_by("-pk").values_list(*columns)[: MOST_MARKS + 1])
    marks = [
        Phase(kind=_KINDS[outcome], reason=reason, start=at, end=None, config_version=version)
        for at, outcome, reason, version in newest[:MOST_MARKS]
    ]
    stops = Event.objects.filter(workload=workload, type=EventType.REQUEST_RELEASED)
    marks += [
        Phase(kind=PhaseKind.WAITING, reason=NOT_EVALUATED, start=at, end=None)
        for at in stops.order_by("-pk").values_list("created_at", flat=True)[:MOST_MARKS]
    ]
    is_cut = len(newest) > MOST_MARKS
    if not is_cut:
        unseen, start = NOT_EVALUATED, workload.submitted_at
        marks.append(Phase(kind=PhaseKind.WAITING, reason=unseen, start=start, end=None))
    # The sort is stable, so the order of writing stays for marks of one transaction.
    marks.sort(key=lambda mark: (mark.start, mark.config_version is not None))
    if is_cut:
        marks = [mark for mark in marks if mark.start >= newest[MOST_MARKS - 1][0]]
    ended = workload.ended_at if workload.state not in LIVE else None
    return PhaseHistory(phases=tuple(_joined(_bounded(marks, ended))), is_cut=is_cut)


def _bounded(marks: list[Phase], ended: datetime | None) -> Iterator[Phase]:
    """Yield each mark, ending at the next one or at the end; phases of no duration are omitted."""
    for place, mark in enumerate(marks):
        end = marks[place + 1].start if place + 1 < len(marks) else ended
        if end is None or end > mark.start:
            yield replace(mark, end=end)


def _joined(phases: Iterable[Phase]) -> Iterator[Phase]:
    """Yield *phases*, with consecutive ones of the same kind and reason merged."""
    last: Phase | None = None
    for phase in phases:
        if last is not None and (last.kind, last.reason) == (phase.kind, phase.reason):
            last = replace(last, end=phase.end)
            continue
        if last is not None:
            yield last
        last = phase
    if last is not None:
        yield last
