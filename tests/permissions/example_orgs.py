"""Organizations with one object of each kind that a URL can name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Final
from urllib.parse import quote_plus

import yaml
from django.utils import timezone

from console.capacity.services.report_cluster import report_cluster
from console.configs.models import Draft, Expectation, ImpactRun, ReviewRequest, ScheduledChange
from console.configs.services.apply_config import apply_config
from console.configs.services.find_impact import find_impact
from console.orgs.models import Membership, Organization, Role, User
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.orgs.services.invite import invite
from console.orgs.services.issue_token import create_token
from console.webhooks.models import Delivery, Webhook
from console.workloads.models import SavedView, SearchRun, Workload
from console.workloads.receipts import preemptions_of
from console.workloads.services.hold_queue import hold_queue
from console.workloads.services.run_engine import run_engine
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions

#: Names that are private to an organization: no other organization may see them.
CONFIG: Final = """\
resource_flavors:
  - name: {org}-spot
resource_queues:
  - name: {org}/train
    cohort_name: {org}-cohort
    preemption: {{ within_resource_queue: lower_priority }}
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - name: {org}-spot
            resources: [{{ name: gpu, nominal_quota: 8 }}]
  - name: {org}/held
scheduling_rules:
  - selector: [{{ key: team, operator: exists }}]
    resource_queue: {org}/train
    priority_policy: {{ default: 50, min: 0, max: 100, on_violation: reject }}
"""


def furnish(slug: str, versions: int) -> dict[str, object]:
    """
    Create the organization *slug* with *versions* config versions; return its objects by name.

    Different numbers of versions make version numbers that exist in only one organization.
    """
    org = create_org(slug, f"The {slug} organization", owner=None)
    boss = Actor.from_command(org)
    text = CONFIG.format(org=slug)
    for number in range(versions):
        after = timedelta(hours=1) if number == versions - 1 else None
        apply_config(boss, "native", f"{text}# {number}\n", "", number, revert_after=after)
    running, stopped, winner, waiting = _work(boss)
    draft = Draft.objects.create(
        org=org, author=_person(org, "left"), dialect="native", text=text, base=versions, revision=1
    )
    review = ReviewRequest.objects.create(
        org=org,
        title="Reviewed",
        dialect="native",
        text=text,
        digest="of it",
        base=versions,
        author=boss.name,
        editors=[boss.key],
    )
    change = ScheduledChange.objects.create(
        org=org,
        kind=ScheduledChange.Kind.END,
        due_at=timezone.now() + timedelta(days=1),
        try_at=timezone.now() + timedelta(days=1),
        author=boss.name,
        author_key=boss.key,
        begun_by=versions,
        owner_kind="queue",
        owner_name=f"{slug}/train",
        numbers=[
            {
                "field": "nominal_quota",
                "flavor": f"{slug}-spot",
                "resource": "gpu",
                "title": "Nominal quota",
                "before": "4",
                "after": "8",
            }
        ],
    )
    expected = Expectation.objects.create(
        org=org, name="kept", labels={"team": "a"}, queue=f"{slug}/train", author=boss.name
    )
    hook = Webhook.objects.create(org=org, name=f"{slug}-hook", url=f"https://{slug}.example/")
    told = Delivery.objects.create(
        webhook=hook, uid=f"{slug}-told", kind="test", summary="A test", body="{}", state="failed"
    )
    view = SavedView.objects.create(
        org=org, name="shared", owner=boss.key, author=boss.name, is_shared=True
    )
    report_cluster(boss, f"{slug}-cluster", {"nodes": [{"name": f"{slug}-node"}]})
    hold_queue(boss, f"{slug}/held", "maintenance", None)
    open_impact = ImpactRun.objects.create(
        org=org, author=boss.name, dialect="native", text="{}", digest="of it", base=versions
    )
    SearchRun.objects.create(org=org, workload=waiting, author=boss.name)
    member = Membership.objects.get(user__email=f"left@{slug}.example")
    invited = invite(boss, f"invited@{slug}.example", Role.VIEWER)
    receipt = preemptions_of(boss, stopped, 1, None).results[0]
    return {
        "org": slug,
        "queue": f"{slug}/train",
        "held": f"{slug}/held",
        "cohort": f"{slug}-cohort",
        "cluster": f"{slug}-cluster",
        "running": running.uid,
        "stopped": stopped.uid,
        "winner": winner.uid,
        "waiting": waiting.uid,
        "decision": waiting.decisions.order_by("pk")[0].pk,
        "preemption": receipt.number,
        "before": receipt.number - 1,
        "version": versions,
        "older": versions - 1,
        "draft": draft.pk,
        "review": review.pk,
        "change": change.pk,
        "later": f"{timezone.now() + timedelta(days=2):%Y-%m-%dT%H:%M}",
        "impact": find_impact(boss, "native", text).pk,
        "open_impact": open_impact.pk,
        "expectation": expected.pk,
        "view": view.pk,
        "member": member.pk,
        "invitation": invited.invitation.pk,
        "link": invited.secret,
        "token": create_token(boss, Role.VIEWER, f"{slug}-reader").token.pk,
        "webhook": hook.pk,
        "delivery": told.uid,
        **_texts(text),
    }


def missing_names(names: Mapping[str, object]) -> dict[str, object]:
    """Return names of the same kinds for objects that do not exist."""
    return {
        name: 987_654_321 if isinstance(value, int) else "nothing-at-all"
        for name, value in names.items()
    }


def _texts(text: str) -> dict[str, str]:
    """Return the config *text* for a form, inside a JSON string, and as JSON."""
    return {
        "text": quote_plus(text),
        "json": json.dumps(text)[1:-1],
        "config": json.dumps(yaml.safe_load(text)),
    }


def _person(org: Organization, name: str) -> User:
    user = User.objects.create_user(f"{name}@{org.slug}.example")
    Membership.objects.create(org=org, user=user, role=Role.EDITOR)
    return user


def _work(boss: Actor) -> list[Workload]:
    """Create a running, a preempted and a pending workload."""
    found = []
    for name, gpu, priority in (
        ("runs", 4, 90),
        ("stops", 4, 10),
        ("wins", 4, 95),
        ("waits", 7, 5),
    ):
        asked = {"name": f"{boss.org.slug}-{name}", "requests": {"gpu": gpu}, "priority": priority}
        found += submit_workloads(boss, read_submissions([{**asked, "tags": {"team": "a"}}]))
        run_engine(boss.org.pk)
    for each in found:
        each.refresh_from_db()
    return found
