"""Convert intake to facts, and apply them to the state of the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from django.db.models import BooleanField
from django.db.models.expressions import RawSQL

from console import statements
from console.capacity.queries.inventory import refresh_inventory
from console.engine.live.pod_changes import after_finish
from console.engine.model.routing import Routing
from console.engine.model.usage_history import UsageHistory
from console.engine.model.workload import Workload
from console.engine.state import State
from console.orgs.models import Organization
from console.time_formats import milliseconds
from console.workloads import models
from console.workloads.models import EventType, Intake
from console.workloads.pod_reports import PodReport
from console.workloads.services.batch import Batch
from console.workloads.services.load_state import COLUMNS, engine_workload, load_policy
from console.workloads.services.record_shapes import SubmittedShape
from console.workloads.stored_facts import with_user

#: The last columns of a workload, which are not part of a shape. User and groups become facts of
#: it only if the config reads them: otherwise each user would have separate shapes for nothing.
_NOT_RECORDED: Final = (
    *("user", "groups", "remaining_pods", "pending_since"),
    *("inactive", "max_run_time", "past_run_time"),
)


@dataclass(slots=True)
class _Context:
    """The state, the batch and the read workloads for the handlers of one batch."""

    org: Organization
    state: State
    batch: Batch
    #: Submitted workloads that are still pending, by key.
    submitted: dict[int, Workload]
    #: Ids of all other workloads in the intake, by key.
    uids: dict[int, str]
    #: Whether the state has the clusters of the rows, which were written before the intake.
    has_present_inventory: bool = False

    def named(self, payload: dict[str, Any]) -> list[str]:
        """Return the ids of the workloads in *payload*."""
        return [self.uids[key] for key in payload["ids"] if key in self.uids]


def apply_intake(org: Organization, state: State, intake: list[Intake], batch: Batch) -> int:
    """
    Apply the time of *batch* and the facts of *intake* to *state*, in order.

    Direct changes of rows are added to *batch*.

    Returns the config version of the state afterwards. Facts about workloads that have ended are
    ignored, so requests can be repeated.
    """
    others = _keys(row for row in intake if row.kind != Intake.Kind.SUBMIT)
    new = _keys(row for row in intake if row.kind == Intake.Kind.SUBMIT)
    context = _Context(
        org=org,
        state=state,
        batch=batch,
        submitted=_submitted(org.pk, new, state.policy.routing, batch) if new else {},
        uids=_uids(org.pk, others, batch) if others else {},
    )
    state.advance(milliseconds(batch.now))
    for row in intake:
        _HANDLERS[row.kind](context, row.payload)
    return batch.config_version


def _submitted(org_id: int, keys: list[int], routing: Routing, batch: Batch) -> dict[int, Workload]:
    """Return the pending workloads by key, and add their shapes to *batch*."""
    submitted = {}
    parameters = [statements.list_parameter(keys)]
    for row in statements.rows(_workload_statement(), parameters, is_replanned=True):
        *_, label_set, name, submitted_at, org, state = row
        if (org, state) != (org_id, models.State.PENDING):
            continue
        workload = engine_workload(row)
        submitted[workload.sequence] = workload
        _, key, _, *shape = row[: len(COLUMNS) - len(_NOT_RECORDED)]
        batch.known[workload.id] = key, name
        found = SubmittedShape(label_set, *shape)
        if routing.reads_users and workload.user:
            found = found._replace(facts=with_user(found.facts, workload.user, workload.groups))
        batch.shapes.append(found)
        batch.submitted[workload.id] = statements.as_utc(submitted_at)
    return submitted


@cache
def _workload_statement() -> str:
    """
    Return the statement that reads workloads by key.

    It has no other condition: PostgreSQL might use that one to find rows, and underestimates their
    number when many workloads have just been submitted.
    """
    is_named = RawSQL(  # noqa: S611
        f"workloads_workload.id {statements.AMONG_KEYS}", ["keys"], BooleanField()
    )
    rows = models.Workload.objects.filter(is_named).order_by("pk")
    columns = (*COLUMNS, "label_set_id", "name", "submitted_at", "org_id", "state")
    statement, parameters = rows.values_list(*columns).query.sql_with_params()
    assert parameters == ("keys",), parameters
    return statement


_NAMES: Final = (
    "SELECT id, uid, name, org_id FROM workloads_workload "  # noqa: S608
    f"WHERE id {statements.AMONG_KEYS}"
)


def _uids(org_id: int, keys: list[int], batch: Batch) -> dict[int, str]:
    """Return the ids of the workloads in other requests, and add their names to *batch*."""
    uids = {}
    parameters = [statements.list_parameter(keys)]
    for key, uid, name, org in statements.rows(_NAMES, parameters, is_replanned=True):
        if org == org_id:
            uids[key] = uid
            batch.known[uid] = key, name
    return uids


def _keys(intake: Iterable[Intake]) -> list[int]:
    return [key for row in intake for key in row.payload.get("ids", ())]


def _submit(context: _Context, payload: dict[str, Any]) -> None:
    for workload in (context.submitted.get(key) for key in payload["ids"]):
        if workload:
            context.state.submit(workload)


def _finish(context: _Context, payload: dict[str, Any]) -> None:
    finished, event = models.State.FINISHED, EventType.REQUEST_FULFILLED
    _end(context, payload, context.state.finish, finished, event)


def _withdraw(context: _Context, payload: dict[str, Any]) -> None:
    withdrawn, event = models.State.WITHDRAWN, EventType.REQUEST_ABORTED
    _end(context, payload, context.state.withdraw, withdrawn, event)


def _end(
    context: _Context,
    payload: dict[str, Any],
    leave: Callable[[str], bool],
    final: models.State,
    event: EventType,
) -> None:
    for uid in context.named(payload):
        queue = context.state.queue_of(uid)
        if leave(uid):
            context.batch.end(uid, queue, final, event, payload["actor"])


def _release(context: _Context, payload: dict[str, Any]) -> None:
    for uid in context.named(payload):
        queue = context.state.queue_of(uid)
        if context.state.release(uid):
            pending = context.state.pending[uid]
            context.batch.requeue(pending, queue, payload["actor"])


def _change_priority(context: _Context, payload: dict[str, Any]) -> None:
    state, after = context.state, payload["priority"]
    for uid in context.named(payload):
        running, pending = state.running.get(uid), state.pending.get(uid)
        queue = state.queue_of(uid)
        known = running or pending
        before = known.priority if known is not None and queue is not None else None
        if state.change_priority(uid, after):
            context.batch.change_priority(uid, queue, (before, after), payload["actor"])


def _deactivate(context: _Context, payload: dict[str, Any]) -> None:
    for uid in context.named(payload):
        queue, is_pending = context.state.queue_of(uid), uid in context.state.pending
        if context.state.deactivate(uid):
            context.batch.deactivate(uid, queue, payload["actor"], is_pending=is_pending)


def _activate(context: _Context, payload: dict[str, Any]) -> None:
    for uid in context.named(payload):
        queue = context.state.queue_of(uid)
        if context.state.activate(uid):
            pending = context.state.pending.get(uid)
            since = pending.workload.pending_since if pending is not None else None
            context.batch.activate(uid, queue, payload["actor"], since)


def _end_pods(context: _Context, payload: dict[str, Any]) -> None:
    state, report = context.state, PodReport(**payload["report"])
    finished = models.State.FINISHED, EventType.REQUEST_FULFILLED
    for uid in context.named(payload):
        before = state.running.get(uid)
        if before is None:
            continue
        if report.kind == PodReport.FINISH:
            count, event = state.finish_pods(uid, report.pods), EventType.PODS_FINISHED
        else:
            count, event = state.release_pods(uid, report.pods), EventType.PODS_RELEASED
        running = state.running.get(uid)
        if running is not None and count:
            facts = report.facts(count)
            context.batch.change_pods(running, event, payload["actor"], facts)
        elif count:
            context.batch.end(uid, before.queue, *finished, payload["actor"])
            context.batch.count_pods(after_finish(before.workload, report.pod_set, count))


def _change_policy(context: _Context, payload: dict[str, Any]) -> None:
    # Earlier decisions, such as preemptions of reclaimed workloads, belong to the previous version.
    context.batch.decide(context.state.take_decisions())
    context.batch.config_version = payload["version"]
    before = context.state.reads_usage_history
    context.state.change_policy(load_policy(context.org, payload["version"]))
    context.batch.changes_usage_history |= before or context.state.reads_usage_history


def _hold(context: _Context, payload: dict[str, Any]) -> None:
    context.state.hold(payload["queue"])


def _resume(context: _Context, payload: dict[str, Any]) -> None:
    context.state.resume(payload["queue"])


def _change_capacity(context: _Context, payload: dict[str, Any]) -> None:
    # The first request of a batch reads the changes of all clusters.
    if context.has_present_inventory:
        return
    context.has_present_inventory = True
    known = context.state.inventory
    inventory = refresh_inventory(context.org.pk, known)
    if inventory is not known:
        context.state.change_inventory(inventory)


def _change_usage(context: _Context, payload: dict[str, Any]) -> None:
    context.state.change_usage_history(UsageHistory(**payload))
    context.batch.changes_usage_history |= context.state.reads_usage_history


_HANDLERS: dict[str, Callable[[_Context, dict[str, Any]], None]] = {
    Intake.Kind.SUBMIT: _submit,
    Intake.Kind.FINISH: _finish,
    Intake.Kind.WITHDRAW: _withdraw,
    Intake.Kind.RELEASE: _release,
    Intake.Kind.POLICY: _change_policy,
    Intake.Kind.HOLD: _hold,
    Intake.Kind.RESUME: _resume,
    Intake.Kind.CAPACITY: _change_capacity,
    Intake.Kind.PODS: _end_pods,
    Intake.Kind.PRIORITY: _change_priority,
    Intake.Kind.DEACTIVATE: _deactivate,
    Intake.Kind.ACTIVATE: _activate,
    Intake.Kind.USAGE: _change_usage,
}
