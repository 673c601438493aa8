"""
Deactivate and activate workloads.

A deactivated workload gets no turn, and stops if it runs; its request and its place by submission
stay. A request writes one intake row, and the engine writes the result. A repeated request has no
further effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db import transaction

from console import statements
from console.errors import Conflict, NotAllowed, NotFound
from console.orgs.audit import Action, record_many
from console.orgs.permissions import Actor, Permission
from console.workloads.models import LIVE, Intake, Workload
from console.workloads.org_filter import in_org
from console.workloads.selection import Outcome, Result, not_found, not_own, selected
from console.workloads.services.write_intake import write_intake


@dataclass(frozen=True, slots=True)
class _Change:
    """A deactivation or an activation, with the words of its results."""

    kind: Intake.Kind
    action: Action
    outcome: Outcome
    done: str
    unchanged: str


_DEACTIVATE: Final = _Change(
    Intake.Kind.DEACTIVATE,
    "workload.deactivate",
    Outcome.DEACTIVATED,
    "The workload is deactivated.",
    "The workload was already deactivated.",
)
_ACTIVATE: Final = _Change(
    Intake.Kind.ACTIVATE,
    "workload.activate",
    Outcome.ACTIVATED,
    "The workload is activated.",
    "The workload is active already.",
)

#: The exception for a workload that cannot be changed.
_ERRORS: Final[Mapping[Outcome, Callable[[str], Exception]]] = {
    Outcome.NOT_FOUND: NotFound,
    Outcome.NOT_ALLOWED: NotAllowed,
    Outcome.WRONG_STATE: lambda message: Conflict("wrong_state", message),
}


def deactivate_workload(actor: Actor, uid: str) -> None:
    """
    Deactivate the workload *uid*; it stops if it runs.

    Raises NotFound, NotAllowed, or Conflict if the workload has ended.
    """
    _raise_error(_change(actor, [uid], _DEACTIVATE))


def activate_workload(actor: Actor, uid: str) -> None:
    """
    Activate the workload *uid*, which then has turns again.

    Raises NotFound, NotAllowed, or Conflict if the workload has ended.
    """
    _raise_error(_change(actor, [uid], _ACTIVATE))


def deactivate_each(actor: Actor, uids: Iterable[str]) -> list[Result]:
    """
    Deactivate those of *uids* for which it is possible; return the results in order.

    Raises NotAllowed without the permission to submit, and BadRequest for none or too many.
    """
    return _change(actor, uids, _DEACTIVATE)


def activate_each(actor: Actor, uids: Iterable[str]) -> list[Result]:
    """
    Activate those of *uids* for which it is possible; return the results in order.

    Raises NotAllowed without the permission to submit, and BadRequest for none or too many.
    """
    return _change(actor, uids, _ACTIVATE)


def _change(actor: Actor, uids: Iterable[str], change: _Change) -> list[Result]:
    actor.require(Permission.SUBMIT)
    wanted = selected(uids)
    # Read before the workloads, so that a request which is applied meanwhile counts as open.
    kinds = (Intake.Kind.DEACTIVATE, Intake.Kind.ACTIVATE)
    is_idle = not Intake.objects.filter(org=actor.org, kind__in=kinds).exists()
    rows = in_org(Workload.objects.filter(uid__in=wanted), actor.org)
    found = {row.uid: row for row in rows.only("uid", "name", "state", "submitted_by", "inactive")}
    results = [
        _result(actor, found[uid], change, is_idle=is_idle)
        if uid in found
        else not_found(actor.org, uid)
        for uid in wanted
    ]
    due = [found[each.uid] for each in results if each.outcome is change.outcome]
    if due:
        _write(actor, due, change)
    return results


def _result(actor: Actor, workload: Workload, change: _Change, *, is_idle: bool) -> Result:
    """Return the result of *change* for *workload*, without writing it."""
    is_own = workload.submitted_by == actor.key
    is_deactivated = workload.inactive is not None
    if not (is_own or actor.may(Permission.MANAGE_WORK)):
        outcome, message = Outcome.NOT_ALLOWED, not_own(actor, Permission.MANAGE_WORK)
    elif workload.state not in LIVE:
        outcome = Outcome.WRONG_STATE
        message = (
            f"The workload is already {workload.state}; only pending and running workloads are "
            "deactivated or activated."
        )
    elif is_idle and is_deactivated == (change is _DEACTIVATE):
        outcome, message = Outcome.UNCHANGED, change.unchanged
    else:
        outcome, message = change.outcome, change.done
    return Result(uid=workload.uid, name=workload.name, outcome=outcome, message=message)


def _write(actor: Actor, due: Sequence[Workload], change: _Change) -> None:
    """Write the request that the engine changes the workloads *due*."""
    with transaction.atomic(), statements.pipeline():
        payload = {"ids": [workload.pk for workload in due], "actor": actor.name}
        write_intake(actor.org.pk, change.kind, payload, len(due))
        record_many(actor, change.action, kind="workload", uids=[each.uid for each in due])


def _raise_error(results: Sequence[Result]) -> None:
    """Raise the error of the only one of *results*, if it has one."""
    (result,) = results
    error = _ERRORS.get(result.outcome)
    if error is not None:
        raise error(result.message)
