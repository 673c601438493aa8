"""Views of one workload: explanation, timeline, spec, decisions, helpful changes and actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from console.configs.models import ConfigVersion
from console.configs.queries import versions_between
from console.engine.model.common_reasons import QUEUE_HELD
from console.errors import BadRequest, Conflict, NotFound
from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.as_text import is_markdown_requested, markdown_answer
from console.pages.live import live_page
from console.pages.presenters.activity.timeline import timeline_of
from console.pages.presenters.lists.addresses import pager_of
from console.pages.presenters.lists.tallies import kept_since
from console.pages.presenters.workloads.offers import offers_of
from console.pages.presenters.workloads.phases import phase_bar
from console.pages.presenters.workloads.pod_sets import places_of, pod_sets_of
from console.pages.presenters.workloads.trace_forms import chosen_format, trace_formats, trace_text
from console.pages.presenters.workloads.workload import (
    RUNNING,
    actions_of,
    stages_of,
)
from console.pages.priority_field import read_priority
from console.pages.shell import render_page
from console.policies.queries import active_policy
from console.workloads.advice import Advice, advice_of_search, find_advice, is_tried_again
from console.workloads.disclosure import advice_for_reader, disclose, disclose_events, for_reader
from console.workloads.explanations import Explained, explain_decision, explain_workload
from console.workloads.markdown import Links, explanation_markdown
from console.workloads.models import QueueHold, State, Workload
from console.workloads.queries import get_workload, hold_of, position_of
from console.workloads.queries.decisions import (
    admitting_policy,
    get_decision,
    latest_decisions,
    record_of_reason,
)
from console.workloads.queries.event_search import EventSearch, search_events
from console.workloads.queries.phases import PhaseHistory, phase_history
from console.workloads.receipts import preemptions_of
from console.workloads.run_ends import run_ends_at
from console.workloads.services.activate_workloads import activate_workload, deactivate_workload
from console.workloads.services.change_priorities import change_priority, may_change_priority
from console.workloads.services.end_workloads import (
    finish_workloads,
    release_workloads,
    withdraw_workloads,
)
from console.workloads.services.search_fully import cancel_search, latest_run, search_fully

#: Maximum number of events in the timeline.
TIMELINE = 50
#: Maximum number of listed decisions, and preemptions per page.
DECISIONS = PREEMPTIONS = 20
#: Maximum number of versions marked in the bar.
VERSIONS = 20

ACTIONS: Final[Mapping[str, tuple[Callable[[Actor, str], None], str]]] = {
    "finish": (lambda actor, uid: finish_workloads(actor, [uid]), "Finishing: its quota is freed."),
    "withdraw": (
        lambda actor, uid: withdraw_workloads(actor, [uid]),
        "Withdrawing: the workload ends permanently.",
    ),
    "release": (
        lambda actor, uid: release_workloads(actor, [uid]),
        "Released: the workload is pending again.",
    ),
    "deactivate": (
        deactivate_workload,
        "Deactivating: the workload gets no turn until it is activated.",
    ),
    "activate": (activate_workload, "Activating: the workload has turns again."),
}


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def workload(request: HttpRequest, actor: Actor, uid: str) -> HttpResponse:
    """Show one tab of a workload, or act on the workload."""
    if request.method == "POST":
        return _act(request, actor, uid)
    if is_markdown_requested(request):
        subject = get_workload(actor.org, uid)
        explained = for_reader(actor, explain_workload(actor.org, subject))
        return markdown_answer(_markdown(request, actor, subject, explained))
    tab = _TABS.get(request.GET.get("tab", ""), _why)
    return _detail(request, actor, uid=uid, tab=tab)


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def changes(request: HttpRequest, actor: Actor, uid: str) -> HttpResponse:
    """Show changes that would start the workload, or start or cancel a search by a worker."""
    subject = get_workload(actor.org, uid)
    if request.method == "POST":
        do = {"search": search_fully, "cancel": cancel_search}.get(request.POST.get("do", ""))
        if do is None:
            raise NotFound("Unknown action on a search.")
        do(actor, subject)
        return HttpResponseRedirect(
            reverse("pages:workload-changes", args=[actor.org.slug, subject.uid])
        )
    run = latest_run(subject)
    is_open = run is not None and run.is_open
    found = advice_of_search(run) if subject.state == State.PENDING else None
    is_whole = found is not None
    if found is None:
        found = Advice() if is_open else find_advice(actor, subject)
    found = advice_for_reader(actor, found)
    context = {
        "workload": subject,
        "found": found,
        "offers": offers_of(actor, subject, found),
        "run": run,
        "is_open": is_open,
        "is_whole": is_whole,
        "is_running": subject.state in RUNNING,
        "is_waiting": subject.state == State.PENDING,
        "is_tried_again": is_tried_again(subject),
    }
    return render_page(request, actor, "workloads/changes.html", context, section="workloads")


@org_page
@require_safe
def decision(request: HttpRequest, actor: Actor, uid: str, number: int) -> HttpResponse:
    """Show one decision with its recorded explanation, which never changes."""
    subject = get_workload(actor.org, uid)
    made = get_decision(subject, number)
    explained = for_reader(actor, explain_decision(actor.org, made))
    text = _markdown(request, actor, subject, explained, number)
    if is_markdown_requested(request):
        return markdown_answer(text)
    context = {
        "workload": subject,
        "decision": made,
        "copy_text": text,
        "markdown_url": f"{request.path}?as=markdown",
        **_trace(request, explained),
    }
    return render_page(request, actor, "workloads/decision.html", context, section="workloads")


@live_page
def _detail(request: HttpRequest, actor: Actor, *, uid: str, tab: Any) -> HttpResponse:
    subject = get_workload(actor.org, uid)
    if subject.state == State.ADMITTED:
        subject.run_ends_at = run_ends_at(  # type: ignore[attr-defined]
            subject, active_policy(actor.org)
        )
    template, context = tab(request, actor, subject)
    shown = {"workload": subject, "actions": actions_of(actor, subject), **context}
    shown["may_change_priority"] = may_change_priority(actor, subject)
    return render_page(request, actor, template, shown, section="workloads")


def _why(request: HttpRequest, actor: Actor, subject: Workload) -> tuple[str, dict[str, Any]]:
    explained = for_reader(actor, explain_workload(actor.org, subject))
    # A search takes a while; the page loads its result afterwards.
    is_pending = subject.state == State.PENDING
    is_searched = is_pending or is_tried_again(subject)
    is_refused = subject.state == State.REJECTED and not is_searched
    advice = find_advice(actor, subject) if is_refused else Advice()
    return "workloads/detail.html", {
        "hold": _hold(subject, explained),
        "explained": explained,
        "record": record_of_reason(subject, explained.explanation.reason) if is_pending else None,
        "position": position_of(subject),
        "preemptor": _preemptor(actor, subject),
        "decisions": latest_decisions(subject, DECISIONS),
        "advice": advice,
        "is_searched": is_searched,
        "offers": offers_of(actor, subject, advice),
        "copy_text": _markdown(request, actor, subject, explained),
        "markdown_url": f"{request.path}?as=markdown",
        **_trace(request, explained),
    }


def _timeline(request: HttpRequest, actor: Actor, subject: Workload) -> tuple[str, dict[str, Any]]:
    about = EventSearch(workloads=frozenset([subject.uid]))
    events = search_events(actor.org, about, TIMELINE).results
    life, now = phase_history(subject), timezone.now()
    stops = preemptions_of(actor, subject, PREEMPTIONS, request.GET.get("cursor"))
    return "workloads/timeline.html", {
        "line": phase_bar(life, _versions(actor, life, now), now),
        "timeline": timeline_of(actor.org, disclose_events(actor, events)),
        "preemptions": stops.results,
        "pager": pager_of(request.path, request.GET, stops),
        "kept_since": kept_since(settings.EVENT_RETENTION_DAYS),
    }


def _spec(request: HttpRequest, actor: Actor, subject: Workload) -> tuple[str, dict[str, Any]]:
    return "workloads/spec.html", {
        "position": position_of(subject),
        "preemptor": _preemptor(actor, subject),
        "pod_sets": pod_sets_of(subject, admitting_policy(actor.org, subject)),
        "places": places_of(subject),
    }


_TABS = {"why": _why, "timeline": _timeline, "spec": _spec}


def _trace(request: HttpRequest, explained: Explained) -> dict[str, Any]:
    form = chosen_format(request.GET)
    return {
        "explanation": explained.explanation,
        "stages": stages_of(explained),
        "version": explained.config_version,
        "form": form,
        "is_technical": form == "technical",
        "forms": trace_formats(request.path, request.GET),
        "trace_json": trace_text(explained.trace, explained.hidden) if form == "json" else "",
    }


def _markdown(
    request: HttpRequest,
    actor: Actor,
    subject: Workload,
    explained: Explained,
    number: int | None = None,
) -> str:
    links = Links(request.build_absolute_uri("/"), actor.org.slug)
    return explanation_markdown(subject, explained, links, number)


def _versions(actor: Actor, life: PhaseHistory, now: datetime) -> list[ConfigVersion]:
    """Return the versions applied during *life*."""
    if not life.phases:
        return []
    found, _ = versions_between(
        actor.org, life.phases[0].start, life.phases[-1].end or now, VERSIONS
    )
    return found


def _preemptor(actor: Actor, subject: Workload) -> dict[str, str]:
    """Return the preemptor of *subject*, or the workload with precedence, as *actor* may see it."""
    if not subject.preemptor:
        return {}
    disclosed = disclose(actor, [subject.preemptor])
    uid = "" if subject.preemptor in disclosed.hidden else subject.preemptor
    return {"uid": uid, "name": disclosed.names[subject.preemptor]}


def _hold(subject: Workload, explained: Explained) -> QueueHold | None:
    """Return the hold of the queue if *subject* is pending because of it, else None."""
    if explained.explanation.reason != QUEUE_HELD or subject.queue is None:
        return None
    return hold_of(subject.org, subject.queue)


def _act(request: HttpRequest, actor: Actor, uid: str) -> HttpResponse:
    if request.POST.get("do") == "priority":
        return _change_priority(request, actor, uid)
    action = ACTIONS.get(request.POST.get("do", ""))
    if action is None:
        raise NotFound("Unknown action on a workload.")
    service, done = action
    service(actor, uid)
    messages.success(request, done)
    return HttpResponseRedirect(reverse("pages:workload", args=[actor.org.slug, uid]))


def _change_priority(request: HttpRequest, actor: Actor, uid: str) -> HttpResponse:
    try:
        change_priority(actor, uid, read_priority(request.POST))
        messages.success(request, f"Changing the priority to {request.POST['priority'].strip()}.")
    except BadRequest as error:
        messages.error(request, error.errors[0].message)
    except Conflict as error:
        messages.error(request, f"The priority was not changed. {error.message}")
    return HttpResponseRedirect(reverse("pages:workload", args=[actor.org.slug, uid]))
