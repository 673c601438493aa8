"""One batch of the engine: applied facts and decisions, converted to database rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from console.bulk import Prepared, insert_rows, update_rows
from console.chunks import chunks
from console.engine.live.running import Running
from console.engine.model.common_reasons import DEACTIVATED, NOT_EVALUATED
from console.engine.model.decision import Assignment, Decision, Outcome, merged_flavors
from console.engine.model.stored_trace import trace_to_json
from console.engine.model.trace import Trace
from console.engine.model.workload import Workload
from console.engine.pending.pending_class import Pending
from console.workloads import models
from console.workloads.models import Event, EventType, Level, State
from console.workloads.services.quota_events import Loan, preemptor_queue, reclaims_of
from console.workloads.services.record_shapes import SubmittedShape, record_shapes
from console.workloads.stored_assignments import (
    encode_assignment,
    encode_resize,
    flavors_text,
)

_DECISION_COLUMNS = (
    "org_id",
    "workload_id",
    "outcome",
    "reason",
    "queue",
    "priority",
    "rule_index",
    "config_version",
    "assignment",
    "victims",
    "preemptor",
    "resize",
    "trace",
    "created_at",
)
_EVENT_COLUMNS = (
    "org_id",
    "type",
    "level",
    "workload_id",
    "queue",
    "actor",
    "data",
    "created_at",
)

#: The workload state after a decision, and its event.
_OUTCOMES: dict[Outcome, tuple[State, EventType, Level]] = {
    Outcome.ADMITTED: (State.ADMITTED, EventType.REQUEST_ADMITTED, Level.INFO),
    Outcome.PENDING: (State.PENDING, EventType.REQUEST_QUEUED, Level.INFO),
    Outcome.PREEMPTED: (State.PREEMPTING, EventType.REQUEST_PREEMPTED, Level.WARNING),
    Outcome.REJECTED: (State.REJECTED, EventType.REQUEST_REJECTED, Level.ERROR),
    Outcome.RESIZED: (State.ADMITTED, EventType.PODS_RESIZED, Level.INFO),
}


class Decided(NamedTuple):
    """A decision, its trace without evaluated rules, and its config version."""

    decision: Decision
    trace: Trace
    config_version: int


@dataclass(slots=True)
class Batch:
    """The rows to write in one transaction, collected while the engine runs."""

    org_id: int
    config_version: int
    now: datetime
    #: New values of workload rows by uid; later facts override earlier ones.
    updates: dict[str, dict[str, Any]] = field(default_factory=lambda: defaultdict(dict))
    #: Shapes of the workloads that are new to the engine.
    shapes: list[SubmittedShape] = field(default_factory=list)
    #: Key and name, which never change, by id of workloads that were already read.
    known: dict[str, tuple[int, str]] = field(default_factory=dict)
    #: Submission times by id.
    submitted: dict[str, datetime] = field(default_factory=dict)
    #: Decisions with their traces, which are encoded once, on first access.
    decisions: list[Decided] = field(default_factory=list)
    #: (type, level, workload uid, queue, actor, data); the row gets its key when written.
    events: list[tuple[EventType, Level, str, str | None, str, dict[str, Any]]] = field(
        default_factory=list
    )
    #: Workloads that became pending again, whose next wait is recorded as a requeue.
    requeued: set[str] = field(default_factory=set)
    #: Preempted workloads.
    preempted: list[str] = field(default_factory=list)
    #: Whether the usage history, or whether it is read, may have changed.
    changes_usage_history: bool = False
    #: Number of workloads that reached each final state.
    ended: dict[State, int] = field(default_factory=lambda: defaultdict(int))

    def end(self, uid: str, queue: str | None, state: State, event: EventType, actor: str) -> None:
        """Record that a workload of *queue* has ended, by request of *actor*."""
        self.updates[uid] |= {
            "state": state.value,
            "ended_at": self.now,
            "pending_class": None,
            "preemptor": None,
            "victims": [],
        }
        self.ended[state] += 1
        self.events.append((event, Level.INFO, uid, queue, actor, {}))

    def change_pods(
        self, running: Running, event: EventType, actor: str, pods: Mapping[str, Any]
    ) -> None:
        """Record that *pods* of a workload have ended by request of *actor*; it runs on."""
        workload = running.workload
        self.updates[workload.id] |= _assigned(running.assignment)
        self.updates[workload.id]["short_since"] = running.short_since
        self.count_pods(workload)
        self.events.append((event, Level.INFO, workload.id, running.queue, actor, dict(pods)))

    def count_pods(self, workload: Workload) -> None:
        """Record the number of pods of *workload* that have not finished."""
        remaining = {each.name: each.count for each in workload.pod_sets}
        self.updates[workload.id]["remaining_pods"] = remaining

    def change_priority(
        self, uid: str, queue: str | None, change: tuple[int | None, int], actor: str
    ) -> None:
        """Record the *change* from one priority to another, by request of *actor*."""
        before, after = change
        # A pending workload no longer waits for its victims before it is evaluated again.
        self.updates[uid] |= {"requested_priority": after, "victims": []}
        if queue is not None:
            # A decision may follow that sets it; of a running workload, none does.
            self.updates[uid]["priority"] = after
        data = {"priority": after, "former_priority": before}
        self.events.append((EventType.PRIORITY_CHANGED, Level.INFO, uid, queue, actor, data))

    def deactivate(self, uid: str, queue: str | None, actor: str, *, is_pending: bool) -> None:
        """Record that a workload is deactivated by request of *actor*."""
        self.updates[uid]["inactive"] = str(DEACTIVATED)
        if is_pending:
            # It waits for no other workload any more.
            self.updates[uid] |= {"victims": [], "preemptor": None}
        self.events.append((EventType.DEACTIVATED, Level.INFO, uid, queue, actor, {}))

    def activate(self, uid: str, queue: str | None, actor: str, since: int | None) -> None:
        """
        Record that a workload is active again by request of *actor*.

        *since* is the time since which it is pending, in milliseconds since 1970 in UTC; None: it
        is still stopping.
        """
        self.updates[uid]["inactive"] = None
        if since is not None:
            self.updates[uid] |= {"pending_since": since, "past_run_time": 0}
        self.events.append((EventType.ACTIVATED, Level.INFO, uid, queue, actor, {}))

    def requeue(self, pending: Pending, queue: str | None, actor: str) -> None:
        """Record that a preempted workload was released from *queue*, and is pending again."""
        uid = pending.workload.id
        self.updates[uid] |= {
            "state": State.PENDING.value,
            "reason": NOT_EVALUATED,
            "assignment": [],
            "flavors": None,
            "preemptor": pending.yields_to,
            "reservation": None,
            "started": None,
            "short_since": None,
            "admitted_at": None,
            "pending_since": pending.workload.pending_since,
            "past_run_time": pending.workload.past_run_time,
        }
        self.requeued.add(uid)
        self.events.append((EventType.REQUEST_RELEASED, Level.INFO, uid, queue, actor, {}))

    def decide(self, decisions: Iterable[Decision], loans: Iterable[Loan] = ()) -> None:
        """Record *decisions* under the current version, and the loans that they make."""
        decided = [
            Decided(each, each.trace_without_rules, self.config_version) for each in decisions
        ]
        self.decisions += decided
        for decision, trace, _ in decided:
            # The changes of a withdrawal were recorded with its request.
            if decision.outcome is not Outcome.WITHDRAWN:
                self._update(decision)
                self._add_event(decision, trace)
        data: dict[str, Any]
        for loan in loans:
            kind, uid, queue = EventType.QUOTA_BORROWED, loan.workload, loan.queue
            data = {"borrowed": dict(loan.borrowed), "cohort": loan.cohort}
            self.events.append((kind, Level.INFO, uid, queue, "engine", data))
        for reclaim in reclaims_of((each.decision, each.trace) for each in decided):
            kind, uid, reclaimed_for = EventType.QUOTA_RECLAIMED, reclaim.preemptor, reclaim.queue
            data = {"reason": reclaim.reason, "victims": list(reclaim.victims)}
            self.events.append((kind, Level.INFO, uid, reclaimed_for, "engine", data))

    def prepare(self) -> list[Prepared]:
        """Return the statements that write workloads, decisions, events and shapes, in order."""
        known = self._known()
        decisions = insert_rows(
            models.Decision,
            _DECISION_COLUMNS,
            (self._decision_row(each, known) for each in self.decisions),
        )
        events = insert_rows(
            Event,
            _EVENT_COLUMNS,
            (
                (
                    self.org_id,
                    kind.value,
                    level.value,
                    known[uid][0],
                    queue,
                    actor,
                    {
                        "workload": uid,
                        "name": known[uid][1],
                        **data,
                        **_preemptor_name(data, known),
                    },
                    self.now,
                )
                for kind, level, uid, queue, actor, data in self.events
            ),
        )
        shapes = record_shapes(self.org_id, self.now.date(), self.shapes)
        return [*self._updates(), decisions, events, shapes]

    def _update(self, decision: Decision) -> None:
        state, _, _ = _OUTCOMES[decision.outcome]
        row = self.updates[decision.workload]
        row |= {"state": state.value, "reason": decision.reason}
        if decision.outcome is Outcome.RESIZED:
            row |= _assigned(decision.assignment)
            row["short_since"] = decision.short_since
            return
        if decision.outcome is Outcome.PREEMPTED:
            row["preemptor"] = decision.preemptor
            row["stopped_for"] = dict(decision.stopped_for)
            if decision.inactive is not None:
                row["inactive"] = str(decision.inactive)
            self.preempted.append(decision.workload)
            return
        row |= {
            "queue": decision.queue,
            "priority": decision.priority,
            "rule_index": decision.rule,
            "config_version": self.config_version,
            **_assigned(decision.assignment),
            "victims": list(decision.victims),
            "pending_class": decision.pending_class,
            "preemptor": decision.preemptor,
        }
        if decision.outcome is Outcome.ADMITTED:
            row |= {
                "reservation": decision.reservation,
                "started": decision.started,
                "short_since": decision.short_since,
                "admitted_at": self.now,
            }
        elif decision.outcome is Outcome.REJECTED:
            row["ended_at"] = self.now
            self.ended[State.REJECTED] += 1

    def _add_event(self, decision: Decision, trace: Trace) -> None:
        _, event, level = _OUTCOMES[decision.outcome]
        if event is EventType.REQUEST_QUEUED and decision.workload in self.requeued:
            event = EventType.REQUEST_REQUEUED
        data: dict[str, Any] = {"reason": decision.reason}
        if decision.resize is not None:
            data |= encode_resize(decision.resize) or {}
            self.events.append((event, level, decision.workload, decision.queue, "engine", data))
            return
        if decision.priority is not None:
            data["priority"] = decision.priority
        if decision.assignment:
            data["flavors"] = merged_flavors(decision.assignment)
        if decision.victims:
            data["victims"] = list(decision.victims)
        if decision.preemptor:
            data["preemptor"] = decision.preemptor
        if decision.outcome is Outcome.PREEMPTED and decision.preemptor:
            data["preemptor_queue"] = preemptor_queue(trace)
        entry = (event, level, decision.workload, decision.queue, "engine", data)
        self.events.append(entry)

    def _known(self) -> dict[str, tuple[int, str]]:
        """Return key and name of every workload in the batch."""
        uids = (
            {each.decision.workload for each in self.decisions}
            | {each.decision.preemptor for each in self.decisions if each.decision.preemptor}
            | {event[2] for event in self.events}
        )
        known = dict(self.known)
        for some in chunks(uids - known.keys()):
            rows = models.Workload.objects.filter(uid__in=some)
            known |= {uid: (pk, name) for uid, pk, name in rows.values_list("uid", "pk", "name")}
        return known

    def _decision_row(
        self, decided: Decided, known: Mapping[str, tuple[int, str]]
    ) -> tuple[Any, ...]:
        decision, trace, config_version = decided
        return (
            self.org_id,
            known[decision.workload][0],
            decision.outcome.value,
            decision.reason,
            decision.queue,
            decision.priority,
            decision.rule,
            config_version,
            encode_assignment(decision.assignment),
            list(decision.victims),
            decision.preemptor,
            encode_resize(decision.resize),
            trace_to_json(trace),
            self.now,
        )

    def _updates(self) -> Iterator[Prepared]:
        # Rows with the same columns go into one statement.
        alike: dict[tuple[str, ...], list[tuple[Any, ...]]] = defaultdict(list)
        for uid, row in self.updates.items():
            columns = tuple(sorted(row))
            alike[columns].append((uid, *(row[column] for column in columns)))
        for columns, rows in alike.items():
            yield update_rows(models.Workload, ("uid", *columns), rows)


def _assigned(assignment: Assignment) -> dict[str, Any]:
    """Return the columns of *assignment* in the row of a workload."""
    return {"assignment": encode_assignment(assignment), "flavors": flavors_text(assignment)}


def _preemptor_name(data: dict[str, Any], known: Mapping[str, tuple[int, str]]) -> dict[str, str]:
    """Return the name of the preemptor, if *data* has one."""
    preemptor = data.get("preemptor")
    return {"preemptor_name": known[preemptor][1]} if preemptor else {}
