"""
Report that single pods of a running workload have finished, or were released after they stopped.

Each report writes one request, and the engine writes the resulting assignment. A report counts
pods, so a repeated one would count them twice: clients repeat it with the same idempotency key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from django.db import transaction

from console import statements
from console.engine.disciplines import load_discipline
from console.engine.live.pod_changes import is_on_clusters, running_pods, stopping_pods
from console.engine.model.decision import Assignment
from console.errors import Conflict, NotFound
from console.orgs.audit import Action, record
from console.orgs.permissions import Actor, Permission
from console.policies.queries import active_policy
from console.workloads.models import Intake, State, Workload
from console.workloads.org_filter import in_org
from console.workloads.pod_reports import PodReport
from console.workloads.services.answer_once import answer_once
from console.workloads.services.write_intake import write_intake
from console.workloads.stored_assignments import decode_assignment

_ACTIONS: Final[Mapping[str, Action]] = {
    PodReport.FINISH: "workload.finish_pods",
    PodReport.RELEASE: "workload.release_pods",
}

#: Maximum number of places in a message.
_NAMED = 5


def end_pods(actor: Actor, uid: str, report: PodReport, key: str | None = None) -> None:
    """
    Report pods of the workload *uid*, once for each idempotency *key*.

    Raises NotFound, NotAllowed, Conflict if the workload does not run, has fewer such pods, or
    cannot be released in parts, and what `answer_once` raises.
    """
    actor.require(Permission.SUBMIT)
    workload = in_org(Workload.objects.filter(uid=uid), actor.org).first()
    if workload is None:
        raise NotFound(f"There is no workload {uid} in {actor.org.slug}.")
    if workload.submitted_by != actor.key:
        actor.require(Permission.MANAGE_WORK)

    def begin() -> tuple[dict[str, Any], Callable[[], None]]:
        _require_possible(workload, report)
        return {}, partial(_write, actor, workload, report)

    if key is not None:
        answer_once(actor, key, {"workload": uid, **report.stored()}, begin)
        return
    _, write = begin()
    with transaction.atomic():
        write()


def _write(actor: Actor, workload: Workload, report: PodReport) -> None:
    payload = {"ids": [workload.pk], "report": report.stored(), "actor": actor.name}
    with statements.pipeline():
        write_intake(actor.org.pk, Intake.Kind.PODS, payload)
        after = report.facts(report.count)
        record(actor, _ACTIONS[report.kind], kind="workload", subject=workload.uid, after=after)


def _require_possible(workload: Workload, report: PodReport) -> None:
    name = f"{workload.name} ({workload.uid})"
    if workload.state not in (State.ADMITTED, State.PREEMPTING):
        raise Conflict(
            "wrong_state", f"{name} is {workload.state}, so it has no pods. Nothing was changed."
        )
    assignment = decode_assignment(workload.assignment)
    if all(each.name != report.pod_set for each in assignment):
        known = ", ".join(each.name for each in assignment) or "none"
        raise Conflict(
            "no_such_pods",
            f"{name} has no pod set {report.pod_set}; its pod sets are: {known}. Nothing was "
            "changed.",
        )
    running, stopping = (
        running_pods(assignment, report.pods),
        stopping_pods(assignment, report.pods),
    )
    if report.kind == PodReport.FINISH:
        found, kind = running, "running pods"
    else:
        if report.count > stopping:
            _require_single_release(workload, name, assignment, report)
        found, kind = running + stopping, "pods"
    if found < report.count:
        raise Conflict(
            "no_such_pods",
            f"{name} has {found} {kind} of pod set {report.pod_set}{_where(report)}, not "
            f"{report.count}{_places(assignment, report)}. Nothing was changed.",
        )


def _require_single_release(
    workload: Workload, name: str, assignment: Assignment, report: PodReport
) -> None:
    """Raise Conflict unless released pods of the workload get another place."""
    if workload.state == State.PREEMPTING:
        raise Conflict(
            "wrong_state",
            f"{name} is preempted as a whole: release the workload when all its pods have stopped. "
            "Nothing was changed.",
        )
    if not load_discipline(active_policy(workload.org).discipline).grants_pods:
        raise Conflict(
            "no_single_pods",
            f"The scheduler of the active config starts {name} as a whole, so single pods cannot "
            "be released: report finished pods as finished, and restart others in their place. "
            "Nothing was changed.",
        )
    if not all(is_on_clusters(each) for each in assignment if each.name == report.pod_set):
        raise Conflict(
            "no_single_pods",
            f"The scheduler of an earlier config started {name} as a whole, so single pods cannot "
            "be released: report finished pods as finished, and restart others in their place. "
            "Nothing was changed.",
        )


def _where(report: PodReport) -> str:
    node = f" on node {report.node}" if report.node is not None else ""
    return node + (f" in cluster {report.cluster}" if report.cluster is not None else "")


def _places(assignment: Assignment, report: PodReport) -> str:
    """Return where the pods of the pod set are, if the discipline assigned places."""
    places = [
        f"{place.count} on {place.node or place.flavor} in {place.cluster}"
        if place.cluster
        else f"{place.count} on {place.node or place.flavor}"
        for each in assignment
        if each.name == report.pod_set
        for place in (*each.places, *each.stopping)
    ]
    if not places:
        return ""
    more = f" and {len(places) - _NAMED} more places" if len(places) > _NAMED else ""
    return f"; they are: {', '.join(places[:_NAMED])}{more}"
