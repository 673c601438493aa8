"""
Report workloads as finished, withdrawn (cancelled), or released (stopped after preemption).

Each service writes one intake row, and the engine writes the resulting state. Repeated reports
have no effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction

from console import statements
from console.errors import Conflict, NotFound
from console.orgs.audit import Action, record_many
from console.orgs.permissions import Actor, Permission
from console.workloads.models import LIVE, Intake, State, Workload
from console.workloads.org_filter import in_org
from console.workloads.selection import Outcome, Result, not_found, not_own, selected
from console.workloads.services.write_intake import write_intake


@dataclass(frozen=True, slots=True)
class _Ending:
    """One way to end a workload: the states in which it is possible, and the resulting state."""

    kind: Intake.Kind
    action: Action
    possible: frozenset[str]
    done: str


_FINISH = _Ending(
    Intake.Kind.FINISH,
    "workload.finish",
    frozenset({State.ADMITTED, State.PREEMPTING}),
    State.FINISHED,
)
_WITHDRAW = _Ending(
    Intake.Kind.WITHDRAW,
    "workload.withdraw",
    frozenset(LIVE),
    State.WITHDRAWN,
)
_RELEASE = _Ending(
    Intake.Kind.RELEASE, "workload.release", frozenset({State.PREEMPTING}), State.PENDING
)
_ENDINGS = (_FINISH, _WITHDRAW, _RELEASE)

#: Maximum number of ids in a message.
_NAMED = 5


def finish_workloads(actor: Actor, uids: Iterable[str]) -> None:
    """
    Report admitted workloads as finished.

    Raises NotFound, NotAllowed, or Conflict if a workload is in another state.
    """
    _end(actor, uids, _FINISH)


def withdraw_workloads(actor: Actor, uids: Iterable[str]) -> None:
    """
    Report pending or running workloads as withdrawn.

    Raises NotFound, NotAllowed, or Conflict if a workload has ended otherwise.
    """
    _end(actor, uids, _WITHDRAW)


def release_workloads(actor: Actor, uids: Iterable[str]) -> None:
    """
    Report preempted workloads as stopped: their quota becomes free, and they are pending.

    Raises NotFound, NotAllowed, or Conflict for a workload that was not preempted.
    """
    _end(actor, uids, _RELEASE)


def withdraw_each(actor: Actor, uids: Iterable[str]) -> list[Result]:
    """
    Report those of *uids* as withdrawn for which it is possible; return the results in order.

    Raises NotAllowed without the permission to submit, and BadRequest for none or too many.
    """
    actor.require(Permission.SUBMIT)
    wanted = selected(uids)
    found = _found(actor, wanted)
    results = [
        _withdrawal(actor, found[uid]) if uid in found else not_found(actor.org, uid)
        for uid in wanted
    ]
    due = [found[each.uid] for each in results if each.outcome is Outcome.WITHDRAWN]
    if due:
        _write(actor, due, _WITHDRAW)
    return results


def may_withdraw(actor: Actor, workload: Workload) -> bool:
    """Return whether *workload* can be withdrawn in its state, and *actor* may do so."""
    return _withdrawal(actor, workload).outcome is Outcome.WITHDRAWN


def _withdrawal(actor: Actor, workload: Workload) -> Result:
    """Return the result of a withdrawal of *workload* by *actor*, without writing it."""
    is_own = workload.submitted_by == actor.key
    if not (is_own or actor.may(Permission.MANAGE_WORK)):
        outcome, message = Outcome.NOT_ALLOWED, not_own(actor, Permission.MANAGE_WORK)
    elif _is_done(workload, _WITHDRAW):
        outcome, message = Outcome.UNCHANGED, "The workload was already withdrawn."
    elif workload.state not in _WITHDRAW.possible:
        outcome = Outcome.WRONG_STATE
        message = (
            f"The workload is already {workload.state}; only pending and running workloads are "
            "withdrawn."
        )
    else:
        outcome, message = Outcome.WITHDRAWN, "The workload is withdrawn."
    return Result(uid=workload.uid, name=workload.name, outcome=outcome, message=message)


def _found(actor: Actor, uids: Sequence[str]) -> dict[str, Workload]:
    """Return the workloads with *uids* in the organization of *actor*, by id."""
    rows = in_org(Workload.objects.filter(uid__in=uids), actor.org).only(
        "uid", "name", "state", "submitted_by", "preemptions"
    )
    return {workload.uid: workload for workload in rows}


def _end(actor: Actor, uids: Iterable[str], ending: _Ending) -> None:
    actor.require(Permission.SUBMIT)
    wanted = list(dict.fromkeys(uids))
    found = _found(actor, wanted)
    _require_all(actor, wanted, found.keys())
    workloads = [found[uid] for uid in wanted]
    if any(workload.submitted_by != actor.key for workload in workloads):
        actor.require(Permission.MANAGE_WORK)
    due = [workload for workload in workloads if not _is_done(workload, ending)]
    _require_possible(due, ending)
    if due:
        _write(actor, due, ending)


def _write(actor: Actor, due: Sequence[Workload], ending: _Ending) -> None:
    """Write the request that the engine ends the workloads *due*."""
    with transaction.atomic(), statements.pipeline():
        payload = {"ids": [workload.pk for workload in due], "actor": actor.name}
        write_intake(actor.org.pk, ending.kind, payload, len(due))
        record_many(actor, ending.action, kind="workload", uids=[each.uid for each in due])


def _require_all(actor: Actor, wanted: Sequence[str], found: Iterable[str]) -> None:
    known = set(found)
    missing = [uid for uid in wanted if uid not in known]
    if missing:
        named = ", ".join(missing[:_NAMED])
        more = f" and {len(missing) - _NAMED:,} more" if len(missing) > _NAMED else ""
        raise NotFound(f"There is no workload {named}{more} in {actor.org.slug}.")


def _is_done(workload: Workload, ending: _Ending) -> bool:
    if ending is _RELEASE:
        # A pending workload that was never preempted has nothing to release.
        return workload.state == State.PENDING and workload.preemptions > 0
    return workload.state == ending.done


def _require_possible(due: Sequence[Workload], ending: _Ending) -> None:
    for workload in due:
        if workload.state not in ending.possible:
            instead = [e.kind.value for e in _ENDINGS if workload.state in e.possible]
            rest = f"it can be: {', '.join(instead)}" if instead else "it has ended"
            raise Conflict(
                "wrong_state",
                f"{workload.name} ({workload.uid}) is {workload.state}, so {ending.kind.value} "
                f"is not possible; {rest}. Nothing was changed.",
            )
