"""Submit ended workloads again, each for itself; the new workloads name the old ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from console.orgs.permissions import Actor, Permission
from console.workloads.identified import refusals
from console.workloads.models import Workload
from console.workloads.models.workloads import ENDED
from console.workloads.org_filter import in_org
from console.workloads.queries.workloads import with_list_columns
from console.workloads.resubmission import submission_of
from console.workloads.selection import Outcome, Result, not_found, selected
from console.workloads.services.answer_once import answer_once
from console.workloads.services.submit_workloads import prepare, submit_workloads, write


def resubmit_each(actor: Actor, uids: Iterable[str], key: str | None = None) -> list[Result]:
    """
    Submit each ended workload again with the same request, and return the results in order.

    With *key*, an idempotency key, a repeated request returns the workloads of the first one.
    Raises NotAllowed, BadRequest for none or too many, and Conflict for a used *key*.
    """
    actor.require(Permission.SUBMIT)
    wanted = selected(uids)
    rows = in_org(Workload.objects.filter(uid__in=wanted), actor.org)
    found = {each.uid: each for each in with_list_columns(rows)}
    ended = [found[uid] for uid in wanted if uid in found and found[uid].state in ENDED]
    submissions = [submission_of(each) for each in ended]
    refused = {
        each.uid: message
        for each, message in zip(ended, refusals(actor, submissions), strict=True)
        if message
    }
    due = [each.uid for each in ended if each.uid not in refused]
    chosen = [one for one, each in zip(submissions, ended, strict=True) if each.uid not in refused]

    def begin() -> tuple[dict[str, Any], Callable[[], None]]:
        batch = prepare(actor, chosen, resubmitted=due)
        made = [each.uid for each in batch.workloads]
        return {"made": dict(zip(due, made, strict=True))}, partial(write, batch)

    made: dict[str, str] = {}
    if due and key is None:
        new = submit_workloads(actor, chosen, resubmitted=due)
        made = dict(zip(due, (each.uid for each in new), strict=True))
    elif due and key is not None:
        made = answer_once(actor, key, {"resubmit": wanted}, begin)["made"]
    return [_result(actor, uid, found.get(uid), refused, made) for uid in wanted]


def _result(
    actor: Actor,
    uid: str,
    workload: Workload | None,
    refused: Mapping[str, str],
    made: Mapping[str, str],
) -> Result:
    if workload is None:
        return not_found(actor.org, uid)
    if uid in made:
        message = f"The workload is submitted again as {made[uid]}."
        outcome = Outcome.RESUBMITTED
    elif uid in refused:
        outcome, message = Outcome.NOT_ALLOWED, refused[uid]
    else:
        outcome = Outcome.WRONG_STATE
        message = (
            f"The workload is {workload.state}; only ended workloads are submitted again. "
            "Withdraw it first."
        )
    return Result(
        uid=uid, name=workload.name, outcome=outcome, message=message, made=made.get(uid, "")
    )
