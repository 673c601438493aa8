"""Many small organizations and their waiting times; runs inside a management command."""

from __future__ import annotations

import json
import sys

from django.db import transaction
from django.db.models import Count

from console.configs.services.apply_config import apply_config
from console.orgs.models import Role
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.orgs.services.issue_token import issue_token
from console.telemetry.models import Metric, Total
from console.telemetry.totals import SUM
from console.workloads.models import Decision, Intake, State, Workload

#: Quota for all workloads: the delay of the decision is measured, not its outcome.
CONFIG = """\
resource_flavors:
  - name: any
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - name: any
            resources: [{ name: gpu, nominal_quota: 1000000 }]
scheduling_rules:
  - resource_queue: train
    priority_policy: { default: 50, min: 0, max: 100, on_violation: reject }
"""


def make(count: int) -> None:
    """Create *count* organizations with CONFIG; print slug and owner's token of each as JSON."""
    made = []
    for number in range(count):
        with transaction.atomic():
            org = create_org(f"lab-{number:04}", f"Lab {number}", None)
            apply_config(Actor.from_command(org), "native", CONFIG, "", 0)
            made.append((org.slug, issue_token(org, Role.OWNER, "bench")))
    sys.stdout.write(json.dumps(made))


def waits() -> None:
    """Print slug, submission time and seconds to the decision of each workload, as JSON."""
    rows = Decision.objects.filter(outcome="admitted").values_list(
        "org__slug", "workload__submitted_at", "created_at"
    )
    found = [
        (slug, submitted.timestamp(), (decided - submitted).total_seconds())
        for slug, submitted, decided in rows.iterator()
    ]
    sys.stdout.write(json.dumps(found))


def loads() -> None:
    """Print how often states were loaded from rows."""
    rows = Total.objects.filter(metric=Metric.LOAD).exclude(label=SUM)
    sys.stdout.write(json.dumps(sum(rows.values_list("value", flat=True))))


def left() -> None:
    """Print the number of requests that no worker has processed."""
    sys.stdout.write(json.dumps(Intake.objects.count()))


def states() -> None:
    """Print the number of workloads in each state, as JSON."""
    rows = Workload.objects.values_list("state").annotate(Count("pk")).order_by()
    sys.stdout.write(json.dumps(dict(rows)))


def unfinished(except_slugs: list[str]) -> None:
    """Print the number of unfinished workloads of all organizations but *except_slugs*."""
    rows = Workload.objects.exclude(org__slug__in=except_slugs).exclude(state=State.FINISHED)
    sys.stdout.write(json.dumps(rows.count()))


def admissions() -> None:
    """Print the number of admissions and of admitted workloads, as JSON."""
    rows = Decision.objects.filter(outcome="admitted")
    sys.stdout.write(json.dumps([rows.count(), rows.values("workload").distinct().count()]))
