"""The life of one workload as phases: how long it waited and for what, ran, and was stopping."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from console.engine.model.common_reasons import NOT_EVALUATED
from console.engine.model.decision import Outcome
from console.workloads.models import Decision, Event, EventType, State, Workload

#: Decisions of one workload, and stops, that are looked at: the newest.
MOST_MARKS = 200


class PhaseKind(StrEnum):
    """What a workload does in one phase."""

    WAITING = "waiting"
    RUNNING = "running"
    #: Preempted, and still holding its quota.
    STOPPING = "stopping"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One phase; *end* None means that it goes on."""

    kind: PhaseKind
    #: Why, as the decision that began it says.
    reason: str
    start: datetime
    end: datetime | None
    #: Version under which it was decided; None: before the first decision.
    config_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """The phases of a workload, oldest first."""

    phases: tuple[Phase, ...]
    #: Whether there were earlier ones, beyond those that are looked at.
    is_cut: bool


_KINDS = {
    Outcome.PENDING.value: PhaseKind.WAITING,
    Outcome.ADMITTED.value: PhaseKind.RUNNING,
    Outcome.PREEMPTED.value: PhaseKind.STOPPING,
}


def life_of(workload: Workload) -> Life:
    """Return the phases of *workload*, from its newest `MOST_MARKS` decisions and stops."""
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
    # Sorting keeps what was written first in front where one transaction wrote both.
    marks.sort(key=lambda mark: (mark.start, mark.config_version is not None))
    if is_cut:
        marks = [mark for mark in marks if mark.start >= newest[MOST_MARKS - 1][0]]
    ended = workload.ended_at if workload.state not in _OPEN else None
    return Life(phases=tuple(_joined(_bounded(marks, ended))), is_cut=is_cut)


_OPEN = frozenset({State.PENDING, State.ADMITTED, State.PREEMPTING})


def _bounded(marks: list[Phase], ended: datetime | None) -> Iterator[Phase]:
    """Yield each mark up to the next one, or to the end; what took no time is left out."""
    for place, mark in enumerate(marks):
        end = marks[place + 1].start if place + 1 < len(marks) else ended
        if end is None or end > mark.start:
            yield replace(mark, end=end)


def _joined(phases: Iterable[Phase]) -> Iterator[Phase]:
    """Yield *phases* with those that follow each other and say the same made one."""
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
