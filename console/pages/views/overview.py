"""The overview: is anything wrong, where is pressure, what changed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from console.configs.queries import latest_draft, versions
from console.engine import reasons
from console.engine.decision import Reason
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.pages.access import live_page, org_page, signed_in_user
from console.pages.presenters.queues import QueueRow, queue_row
from console.pages.shell import render_page
from console.workloads.queries import WorkloadFilter, list_workloads, queue_list, state_counts
from console.workloads.queries.cohorts import cohort_list
from console.workloads.queries.waiting import (
    MOST_WITHOUT_QUEUE,
    waiting_reasons,
    waiting_without_queue,
)

#: Items of the attention list, tight queues and versions shown.
MOST = 7
RECENT_VERSIONS = 5
#: Rejections of the last hour that are looked through.
REJECTIONS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """Something that wants a person, and the one place to go for it."""

    #: Stays the same while it is about the same thing.
    key: str
    state: str
    text: str
    href: str
    action: str


@require_safe
@org_page
@live_page
def overview(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show what needs a person first, then the counts, the tight queues and recent versions."""
    org = actor.org
    counts = state_counts(org)
    rows = [queue_row(view) for view in queue_list(org)]
    recent = list(versions(org)[:RECENT_VERSIONS])
    draft = latest_draft(org, signed_in_user(request))
    tight = sorted(
        (row for row in rows if row.tightest),
        key=lambda row: -row.tightest.pressure if row.tightest else 0,
    )
    context = {
        "counts": counts,
        "total": sum(counts.values()),
        "attention": _attention(org, rows)[:MOST],
        "tight": tight[:MOST],
        "queues": rows,
        "versions": recent,
        "draft": draft,
    }
    return render_page(request, actor, "overview/index.html", context, section="overview")


def _attention(org: Organization, rows: list[QueueRow]) -> list[Attention]:
    items = [
        Attention(
            key=f"held-{row.key}",
            state="held",
            text=f"Queue {row.view.name} is held by {row.view.held.actor}: {row.view.held.reason}",
            href=reverse("pages:queue", args=[org.slug, row.view.name]),
            action="Open the queue",
        )
        for row in rows
        if row.view.held
    ]
    workloads = reverse("pages:workloads", args=[org.slug])
    stuck = waiting_reasons(org).get(Reason.EXCEEDS_MAX_QUOTA, 0)
    if stuck:
        items.append(
            Attention(
                key="stuck",
                state="error",
                text=f"{_workloads(stuck)} can never run under this config: they ask for more "
                "than their queue can ever have",
                href=f"{workloads}?state=pending&reason={Reason.EXCEEDS_MAX_QUOTA.value}",
                action="See which",
            )
        )
    items += _without_queue(org, workloads)
    items += _starved(org, rows)
    since = timezone.now() - timedelta(hours=1)
    query = QueryDict(mutable=True)
    query.update({"state": "rejected", "since": since.isoformat()})
    rejected = list_workloads(org, WorkloadFilter.from_query(query), REJECTIONS).results
    for reason, count in Counter(workload.reason for workload in rejected).most_common():
        more = "at least " if len(rejected) == REJECTIONS else ""
        items.append(
            Attention(
                key=f"rejected-{reason}",
                state="rejected",
                text=f"{more}{_workloads(count)} of the last hour rejected: "
                f"{reasons.reason_title(reason).lower()}",
                href=f"{workloads}?state=rejected&reason={reason}",
                action="See which",
            )
        )
    items += [
        Attention(
            key=f"draining-{row.key}",
            state="draining",
            text=f"Queue {row.view.name} is not in the active config and still has work",
            href=reverse("pages:queue", args=[org.slug, row.view.name]),
            action="Open the queue",
        )
        for row in rows
        if row.view.draining
    ]
    return items


def _starved(org: Organization, rows: list[QueueRow]) -> list[Attention]:
    """Return the queues whose work waits for quota of their own that others use."""
    cohorts = {row.view.name: row.view.cohort for row in rows if row.view.cohort}
    if not cohorts:
        return []
    starved = (each for cohort in cohort_list(org) if not cohort.path for each in cohort.starved)
    return [
        Attention(
            key=f"starved-{queue.encode().hex()}",
            state="warning",
            text=f"Queue {queue} waits for quota of its own that others use",
            href=reverse("pages:cohort", args=[org.slug, cohorts[queue]]),
            action="See who",
        )
        for queue in dict.fromkeys(each.queue for each in starved)
    ]


def _without_queue(org: Organization, workloads: str) -> list[Attention]:
    """Return who names what the config does not have; *workloads* is the address of the list."""
    waiting = waiting_without_queue(org)
    more = "at least " if sum(waiting.values()) == MOST_WITHOUT_QUEUE else ""
    return [
        Attention(
            key=f"lost-{reason}",
            state="error",
            text=f"{more}{_workloads(count)} cannot run: {reasons.reason_title(reason).lower()}",
            href=f"{workloads}?state=pending&reason={reason}",
            action="See which",
        )
        for reason, count in waiting.items()
        if reasons.reason_class(reason) is reasons.ReasonClass.CANNOT_RUN
    ]


def _workloads(count: int) -> str:
    return f"{count} workload{'s' if count != 1 else ''}"
