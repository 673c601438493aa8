"""Example drafts, views, expectations, impact runs, invitations, webhooks, clusters of a world."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from console.capacity.services.report_cluster import report_cluster
from console.configs.models import ConfigVersion, ImpactRun, ScheduledChange
from console.configs.services.begin_draft import begin_draft
from console.configs.services.find_impact import find_impact
from console.configs.services.measure_effects import measure_effects
from console.configs.services.request_review import request_review
from console.configs.services.run_impact import run_impact
from console.configs.services.save_expectations import save_expectations
from console.configs.services.schedule_apply import schedule_apply
from console.engine.model.workload import Workload
from console.engine.routing.expectations import ExpectedRoute
from console.orgs.models import ApiToken, Membership
from console.orgs.permissions import Actor
from console.orgs.services.invite import invite
from console.orgs.services.seal_audit import seal_audit
from console.overview.services.check_up import check_up
from console.overview.services.count_attention import count_attention
from console.overview.services.measure_consumers import measure_consumers
from console.series.services.sample_org import sample_org
from console.series.services.sample_orgs import sample_orgs
from console.webhooks.models import Attempt, Delivery, Kind, Webhook
from console.webhooks.payloads import test_message
from console.workloads.services.save_view import save_view
from tests.worlds.work import settle


def furnish(owner: Actor, queue: str) -> dict[str, Any]:
    """
    Add an example of every object that is not a workload, and return their ids as `World` fields.

    *queue* is a queue of the active version. Everything is in the past and complete, so that a
    product started on this world has no delivery to send.
    """
    org = owner.org
    active = ConfigVersion.objects.filter(org=org).latest("number")
    found: dict[str, Any] = {
        "versions": tuple(
            ConfigVersion.objects.filter(org=org, number__in=(1, active.number - 1, active.number))
            .order_by("number")
            .values_list("number", flat=True)
        ),
        "draft": begin_draft(
            owner, active.dialect, f"# Changed\n{active.text}", active.number, "More for all"
        ).pk,
        "review": request_review(
            owner, active.dialect, f"# Reviewed\n{active.text}", active.number, "A comment"
        ).pk,
        "change": _add_scheduled_changes(owner, active, queue),
        "view": save_view(owner, "Waiting", "state=pending", is_shared=True).pk,
        "expectation": _add_expectation(owner, queue),
        "impact": _finished_impact_run(owner, active),
        "member": Membership.objects.get(org=org, role="viewer").pk,
        "token": ApiToken.objects.get(org=org, role="viewer").pk,
    }
    invited = invite(owner, "newcomer@example.org", "viewer", days=30)
    found |= {"invitation": invited.invitation.pk, "join": invited.secret}
    found |= add_clusters(owner, clusters=2, nodes=5)
    return found | add_webhook(owner, deliveries=2, name="pager")


def run_periodic_tasks(owner: Actor) -> None:
    """Run the periodic tasks once for the organization of *owner*, and seal its audit entries."""
    now = timezone.now()
    for org_id in sample_orgs(now):
        sample_org(org_id, now)
    for each in (check_up, measure_consumers, count_attention):
        each(owner.org.pk, now)
    measure_effects(now)
    while seal_audit():
        pass


def add_clusters(owner: Actor, clusters: int, nodes: int) -> dict[str, Any]:
    """Add so many *clusters* with so many *nodes* each, of which every tenth is not ready."""
    for number in range(clusters):
        report = {
            "manager": ("kubernetes", "slurm")[number % 2],
            "labels": {"region": ("eu", "us")[number % 2]},
            "state": "draining" if number % 10 == 9 else "ready",
            "nodes": [_node(each) for each in range(nodes)],
        }
        report_cluster(owner, f"cluster-{number}", report)
    settle(owner.org)
    return {"cluster": "cluster-0"}


def _node(number: int) -> dict[str, Any]:
    taint = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
    return {
        "name": f"node-{number}",
        "labels": {"kubernetes.io/hostname": f"node-{number}", "zone": "abc"[number % 3]},
        "taints": [taint] if number % 4 == 0 else [],
        "allocatable": {"cpu": 64, "memory": "512Gi", "gpu": 8, "pods": 110},
        "ready": number % 10 != 9,
    }


def add_webhook(owner: Actor, deliveries: int, name: str) -> dict[str, Any]:
    """Add a webhook with as many *deliveries*, of which every tenth failed."""
    # Created as a row, because the service resolves the host name.
    webhook = Webhook.objects.create(
        org=owner.org,
        name=name,
        url="https://hooks.example.org/",
        kinds=[Kind.REJECTED.value],
        created_by=owner.name,
    )
    now = timezone.now()
    rows = []
    for number in range(deliveries):
        at = now - timedelta(minutes=deliveries - number)
        message = test_message(owner.org, at, owner.name, "this webhook")
        failed = number % 10 == 1
        rows.append(
            Delivery(
                webhook=webhook,
                kind=Kind.TEST if number % 4 == 0 else Kind.REJECTED,
                summary=message.summary,
                body=message.body,
                state=Delivery.State.FAILED if failed else Delivery.State.DELIVERED,
                due_at=at,
                attempts_begun=1,
                created_at=at,
                ended_at=at,
            )
        )
    Delivery.objects.bulk_create(rows)
    Attempt.objects.bulk_create(
        Attempt(
            delivery=row,
            number=1,
            begun_at=row.created_at,
            ended_at=row.created_at,
            url=webhook.url,
            status=500 if row.state == Delivery.State.FAILED else 200,
            failure="status" if row.state == Delivery.State.FAILED else "",
        )
        for row in rows
    )
    Webhook.objects.filter(pk=webhook.pk).update(last_success_at=now)
    return {"webhook": webhook.pk, "delivery": rows[-1].uid}


def _add_scheduled_changes(owner: Actor, active: ConfigVersion, queue: str) -> int:
    """Schedule an apply and the end of a temporary quota; return the id of the apply."""
    later = timezone.now() + timedelta(days=30)
    text = f"# Scheduled\n{active.text}"
    ScheduledChange.objects.create(
        org=owner.org,
        kind=ScheduledChange.Kind.END,
        due_at=later,
        try_at=later,
        author=owner.name,
        author_key=owner.key,
        begun_by=active.number,
        owner_kind="queue",
        owner_name=queue,
        numbers=[
            {
                "field": "nominal_quota",
                "flavor": "",
                "resource": "gpu",
                "title": "Nominal quota",
                "before": "1",
                "after": "2",
            }
        ],
    )
    return schedule_apply(owner, active.dialect, text, "Later", active.number, later).pk


def _add_expectation(owner: Actor, queue: str) -> int:
    workload = Workload(id="", sequence=0, labels={"team": "nobody"}, pod_sets=())
    (row,) = save_expectations(
        owner, [ExpectedRoute(name="Nobody's work", workload=workload, queue=queue, priority=None)]
    )
    return row.pk


def _finished_impact_run(owner: Actor, version: ConfigVersion) -> int:
    run = find_impact(owner, version.dialect, f"{version.text}\n#\n")
    run_impact(run.pk)
    run.refresh_from_db()
    assert run.state == ImpactRun.State.DONE, run.error
    return run.pk
