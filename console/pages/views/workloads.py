"""Workloads: the list, one of them with why, one decision, and ending it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from console.configs.queries import active_policy
from console.engine import reasons
from console.engine.decision import Reason
from console.errors import NotFound
from console.orgs.permissions import Actor
from console.pages.access import live_page, org_page
from console.pages.presenters.filters import canonical_query, chips_of, segments_of
from console.pages.presenters.lists import PAGE_SIZE, pager_of
from console.pages.presenters.pod_sets import pod_sets_of
from console.pages.presenters.timeline import timeline_of
from console.pages.presenters.workloads import (
    RUNNING,
    actions_of,
    changes_of,
    explanation_text,
    stages_of,
)
from console.pages.shell import render_page
from console.workloads.changes import what_would_help
from console.workloads.explanations import Explained, explain_decision, explain_workload
from console.workloads.models import QueueHold, State, Workload
from console.workloads.queries import (
    WorkloadFilter,
    get_workload,
    hold_of,
    list_workloads,
    position_of,
    state_counts,
)
from console.workloads.queries.decisions import get_decision, latest_decisions
from console.workloads.queries.event_search import EventSearch, search_events
from console.workloads.queries.filters import TYPES
from console.workloads.services.end_workloads import (
    finish_workloads,
    release_workloads,
    withdraw_workloads,
)

FILTERS = ("state", "queue", "reason", "user", "project", "type", "q", "since", "until")

#: Events of one workload that its timeline shows.
TIMELINE = 50
#: Decisions that its page lists.
DECISIONS = 20

ENDINGS = {
    "finish": (finish_workloads, "Finishing: the quota it held is given back."),
    "withdraw": (withdraw_workloads, "Withdrawing: it ends and does not come back."),
    "release": (release_workloads, "Noted that it has stopped: it waits in its queue again."),
}


@require_safe
@org_page
@live_page
def workloads(request: HttpRequest, actor: Actor) -> HttpResponse:
    """List workloads by the filters of the address, newest first."""
    query = canonical_query(request.GET)
    if query != request.GET and "v" not in request.GET and "HX-Request" not in request.headers:
        return HttpResponseRedirect(f"{request.path}?{query.urlencode()}".rstrip("?"))
    chosen = WorkloadFilter.from_query(query)
    counts = state_counts(actor.org)
    page = list_workloads(actor.org, chosen, PAGE_SIZE, query.get("cursor"))
    context = {
        "workloads": page.results,
        "pager": pager_of(request.path, query, page),
        "segments": segments_of(request.path, query, counts, chosen.state or ""),
        "chips": chips_of(request.path, query, FILTERS),
        "chosen": query,
        "conditions": chosen,
        "queue_names": list(active_policy(actor.org).queues),
        "reasons": [(reason.value, reasons.reason_title(reason)) for reason in Reason],
        "types": TYPES,
        "any_exist": bool(page.results) or sum(counts.values()) > 0,
        "is_start": not query.get("cursor"),
    }
    return render_page(request, actor, "workloads/index.html", context, section="workloads")


@require_http_methods(["GET", "HEAD", "POST"])
@org_page
def workload(request: HttpRequest, actor: Actor, uid: str) -> HttpResponse:
    """Show why one workload is where it is, or end it."""
    if request.method == "POST":
        return _end(request, actor, uid)
    return _detail(request, actor, uid=uid)


@require_safe
@org_page
def changes(request: HttpRequest, actor: Actor, uid: str) -> HttpResponse:
    """Show what would start one workload now; the page of the workload takes in the panel."""
    subject = get_workload(actor.org, uid)
    found = what_would_help(actor.org, subject)
    context = {
        "workload": subject,
        "found": found,
        "changes": changes_of(found),
        "is_running": subject.state in RUNNING,
        "is_waiting": subject.state == State.PENDING,
    }
    return render_page(request, actor, "workloads/changes.html", context, section="workloads")


@require_safe
@org_page
def decision(request: HttpRequest, actor: Actor, uid: str, number: int) -> HttpResponse:
    """Show one decision as it was made; it never changes."""
    subject = get_workload(actor.org, uid)
    made = get_decision(subject, number)
    explained = explain_decision(made)
    context = {
        "workload": subject,
        "decision": made,
        "explanation": explained.explanation,
        "stages": stages_of(explained),
        "version": explained.config_version,
        "copy_text": explanation_text(subject.name, subject.uid, explained.explanation),
    }
    return render_page(request, actor, "workloads/decision.html", context, section="workloads")


@live_page
def _detail(request: HttpRequest, actor: Actor, *, uid: str) -> HttpResponse:
    subject = get_workload(actor.org, uid)
    explained = explain_workload(actor.org, subject)
    about = EventSearch(workloads=frozenset([uid]))
    events = search_events(actor.org, about, TIMELINE).results
    context = {
        "workload": subject,
        "explained": explained,
        "explanation": explained.explanation,
        "hold": _hold(subject, explained),
        "stages": stages_of(explained),
        "version": explained.config_version,
        "position": position_of(subject),
        "pod_sets": pod_sets_of(subject),
        "decisions": latest_decisions(subject, DECISIONS),
        "timeline": timeline_of(actor.org, events),
        "actions": actions_of(actor, subject),
        "copy_text": explanation_text(subject.name, subject.uid, explained.explanation),
    }
    return render_page(request, actor, "workloads/detail.html", context, section="workloads")


def _hold(subject: Workload, explained: Explained) -> QueueHold | None:
    """Return who held the queue and why, when that is what *subject* waits for."""
    if explained.explanation.reason != Reason.QUEUE_HELD or subject.queue is None:
        return None
    return hold_of(subject.org, subject.queue)


def _end(request: HttpRequest, actor: Actor, uid: str) -> HttpResponse:
    ending = ENDINGS.get(request.POST.get("do", ""))
    if ending is None:
        raise NotFound("There is no such action on a workload.")
    service, done = ending
    service(actor, [uid])
    messages.success(request, done)
    return HttpResponseRedirect(reverse("pages:workload", args=[actor.org.slug, uid]))
