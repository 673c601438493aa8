"""
Change the priorities of pending and running workloads.

A request writes one intake row, and the engine writes the resulting priority. The priority of a
pending workload determines its position; that of a running one, which workloads may preempt it.
A repeated request has no further effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from django.db import transaction

from console import statements
from console.engine.disciplines import load_discipline
from console.engine.routing.priority_changes import priority_obstacle
from console.engine.routing.router import Router
from console.errors import BadRequest, Conflict, FieldError, NotAllowed, NotFound
from console.orgs.audit import record_many
from console.orgs.permissions import Actor, Permission
from console.policies.queries import active_policy
from console.reading import LARGEST_INTEGER
from console.workloads.models import LIVE, Intake, State, Workload
from console.workloads.org_filter import in_org
from console.workloads.selection import Outcome, Result, not_found, not_own, selected
from console.workloads.services.load_state import COLUMNS, engine_workload
from console.workloads.services.write_intake import write_intake

#: Columns in addition to those of the engine.
_MORE: Final = ("name", "state", "submitted_by", "priority", "queue")

#: The exception for a workload whose priority cannot be changed.
_ERRORS: Final[Mapping[Outcome, Callable[[str], Exception]]] = {
    Outcome.NOT_FOUND: NotFound,
    Outcome.NOT_ALLOWED: NotAllowed,
    Outcome.WRONG_STATE: lambda message: Conflict("wrong_state", message),
    Outcome.NOT_POSSIBLE: lambda message: Conflict("priority_fixed", message),
}


def change_priority(actor: Actor, uid: str, priority: int) -> None:
    """
    Change the priority of the workload *uid*.

    Raises NotFound, NotAllowed, BadRequest for a priority that no workload can have, or Conflict if
    the workload has ended or the active config determines its priority.
    """
    (result,) = change_priorities(actor, [uid], priority)
    error = _ERRORS.get(result.outcome)
    if error is not None:
        raise error(result.message)


def change_priorities(actor: Actor, uids: Iterable[str], priority: int) -> list[Result]:
    """
    Change the priority of each of *uids* for which it is possible; return the results in order.

    Raises NotAllowed without the permission to submit, and BadRequest for none or too many ids, or
    for a priority that no workload can have.
    """
    actor.require(Permission.SUBMIT)
    wanted = selected(uids)
    _require_valid(actor, priority)
    # Read before the workloads, so that a request which is applied meanwhile counts as open.
    is_idle = not Intake.objects.filter(org=actor.org, kind=Intake.Kind.PRIORITY).exists()
    found = _found(actor, wanted)
    judge = _judge(actor, priority, is_idle=is_idle)
    results = [judge(*found[uid]) if uid in found else not_found(actor.org, uid) for uid in wanted]
    due = [found[each.uid][0] for each in results if each.outcome is Outcome.CHANGED]
    if due:
        _write(actor, due, priority)
    return results


def may_change_priority(actor: Actor, workload: Workload) -> bool:
    """Return whether the role of *actor* and the state of *workload* allow another priority."""
    is_own = workload.submitted_by == actor.key
    needed = Permission.SUBMIT if is_own else Permission.CHANGE_PRIORITIES
    return actor.may(needed) and workload.state in LIVE


def _require_valid(actor: Actor, priority: int) -> None:
    least = active_policy(actor.org).least_priority
    if not least <= priority <= LARGEST_INTEGER:
        message = f"The priority has to be a whole number from {least} to {LARGEST_INTEGER}."
        raise BadRequest([FieldError("priority", "out_of_range", message)], message)


def _found(actor: Actor, wanted: Sequence[str]) -> dict[str, tuple[Workload, tuple[object, ...]]]:
    """Return the workloads with ids *wanted*, each with its columns for the engine, by id."""
    rows = in_org(Workload.objects.filter(uid__in=wanted), actor.org)
    return {
        row[0]: (
            Workload(uid=row[0], pk=row[1], **dict(zip(_MORE, row[len(COLUMNS) :], strict=True))),
            row[: len(COLUMNS)],
        )
        for row in rows.values_list(*COLUMNS, *_MORE)
    }


def _judge(
    actor: Actor, priority: int, *, is_idle: bool
) -> Callable[[Workload, tuple[object, ...]], Result]:
    """Return a function that returns the result of the change for one workload."""
    policy = active_policy(actor.org)
    find = Router(policy).route
    changes_running = load_discipline(policy.discipline).changes_running_priority

    def result(workload: Workload, columns: tuple[object, ...]) -> Result:
        is_own = workload.submitted_by == actor.key
        if not (is_own or actor.may(Permission.CHANGE_PRIORITIES)):
            outcome, message = Outcome.NOT_ALLOWED, not_own(actor, Permission.CHANGE_PRIORITIES)
        elif workload.state not in LIVE:
            outcome = Outcome.WRONG_STATE
            message = (
                f"The workload is already {workload.state}; only pending and running workloads "
                "get another priority."
            )
        elif workload.state != State.PENDING and not changes_running:
            outcome = Outcome.NOT_POSSIBLE
            message = (
                "The workload is running, and its pods keep the priority with which they started: "
                "the scheduler of the active config changes pending workloads only."
            )
        elif workload.state != State.PENDING and workload.queue is None:
            outcome = Outcome.NOT_POSSIBLE
            message = "The workload is running without a queue, so a priority has no effect."
        else:
            present = engine_workload(columns)
            obstacle = priority_obstacle(find, present, priority)
            if obstacle is not None:
                outcome, message = Outcome.NOT_POSSIBLE, obstacle
            elif is_idle and priority == workload.priority == present.priority:
                outcome, message = Outcome.UNCHANGED, f"The priority is already {priority}."
            else:
                outcome, message = Outcome.CHANGED, f"The priority becomes {priority}."
        return Result(uid=workload.uid, name=workload.name, outcome=outcome, message=message)

    return result


def _write(actor: Actor, due: Sequence[Workload], priority: int) -> None:
    """Write the request that the engine changes the priority of the workloads *due*."""
    with transaction.atomic(), statements.pipeline():
        payload = {
            "ids": [workload.pk for workload in due],
            "priority": priority,
            "actor": actor.name,
        }
        write_intake(actor.org.pk, Intake.Kind.PRIORITY, payload, len(due))
        record_many(
            actor,
            "workload.change_priority",
            kind="workload",
            uids=[each.uid for each in due],
            after={"priority": priority},
        )
