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
from console.workloads.models import Intake, State, Workload
from console.workloads.org_filter import in_org
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
    frozenset({State.PENDING, State.ADMITTED, State.PREEMPTING}),
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


def _end(actor: Actor, uids: Iterable[str], ending: _Ending) -> None:
    actor.require(Permission.SUBMIT)
    wanted = list(dict.fromkeys(uids))
    rows = in_org(Workload.objects.filter(uid__in=wanted), actor.org).only(
        "uid", "name", "state", "submitted_by", "preemptions"
    )
    found = {workload.uid: workload for workload in rows}
    _require_all(actor, wanted, found.keys())
    workloads = [found[uid] for uid in wanted]
    if any(workload.submitted_by != actor.key for workload in workloads):
        actor.require(Permission.MANAGE_WORK)
    due = [workload for workload in workloads if not _is_done(workload, ending)]
    _require_possible(due, ending)
    if not due:
        return
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
