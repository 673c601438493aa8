"""Helpers that submit, decide and finish workloads of a world through the services."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from console.engine.model.decision import Outcome
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.lease import read_engine_row
from console.workloads.models import Decision, PendingClass, State, Workload
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.run_engine import forget_states, run_engine
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import MOST_AT_ONCE, read_submissions

Body = dict[str, Any]


def settle(org: Organization) -> None:
    """Run the engine until it has nothing to do, and discard its state."""
    while read_engine_row(org.pk).has_work:
        run_engine(org.pk, seconds=60)
    forget_states()


def submit(actor: Actor, bodies: Iterable[Body]) -> list[str]:
    """Submit workloads in the format of the API, run the engine, and return their ids."""
    given = list(bodies)
    ids = []
    for first in range(0, len(given), MOST_AT_ONCE):
        submissions = read_submissions(given[first : first + MOST_AT_ONCE])
        ids += [each.uid for each in submit_workloads(actor, submissions)]
    settle(actor.org)
    return ids


def finish(actor: Actor, ids: Sequence[str]) -> None:
    """Finish workloads, and run the engine."""
    for first in range(0, len(ids), 500):
        finish_workloads(actor, ids[first : first + 500])
    settle(actor.org)


def in_state(org: Organization, state: State) -> list[str]:
    """Return the ids of the workloads in *state*, the oldest first."""
    rows = Workload.objects.filter(org=org, state=state).order_by("pk")
    return list(rows.values_list("uid", flat=True))


def examples(org: Organization) -> dict[str, Any]:
    """Return example workloads by state and reason, a decision and a preemption for `World`."""
    workloads = {state: ids[-1] for state in State.values if (ids := in_state(org, State(state)))}
    reasons = dict(
        Workload.objects.filter(org=org)
        .exclude(state=State.PENDING)
        .order_by("reason")
        .values_list("reason", "uid")
    )
    for key, reason in PendingClass.objects.filter(org=org).values_list("key", "reason"):
        one = Workload.objects.filter(org=org, pending_class=key).first()
        if one is not None:
            reasons[reason] = one.uid
    if "exceeds_max_quota" in reasons:
        workloads["never"] = reasons["exceeds_max_quota"]
    found: dict[str, Any] = {"workloads": workloads, "reasons": reasons}
    decisions = Decision.objects.filter(org=org).select_related("workload")
    if (last := decisions.filter(outcome=Outcome.ADMITTED).last()) is not None:
        found["decision"] = (last.workload.uid, last.pk)
    stops = decisions.filter(outcome=Outcome.PREEMPTED, preemptor__isnull=False)
    if (stop := stops.last()) is not None:
        found |= {"preemption": (stop.workload.uid, stop.pk), "beneficiary": stop.preemptor}
    return found
