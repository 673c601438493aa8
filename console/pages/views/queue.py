"""Views of one queue: pending and running workloads, rules, version history, hold and resume."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from console.configs.queue_log import queue_log
from console.configs.temporary_changes import temporary_of
from console.engine.diff.objects import QUEUE
from console.engine.disciplines import load_discipline
from console.engine.model.amounts import Unlimited
from console.engine.model.policy import Policy, Strategy
from console.engine.routing.local_queues import local_routing_of
from console.engine.routing.rule_routing import routes_by_rules
from console.errors import BadRequest
from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.hold_form import SPANS, read_hold
from console.pages.live import live_by
from console.pages.parts import lazily
from console.pages.personal_formats import active_formats
from console.pages.presenters.configs.schedule import scheduled_rows
from console.pages.presenters.hierarchy.queue_settings import queue_settings
from console.pages.presenters.lists.addresses import CARD_PAGE_SIZE, pager_of
from console.pages.presenters.queues.capacity_cells import cells_of, columns_of
from console.pages.presenters.queues.queue import queue_row
from console.pages.presenters.queues.queue_page import (
    TABS,
    free_words,
    hit_rows,
    log_rows,
    orders_of,
    pending_reasons,
    pending_rows,
    running_rows,
    tabs_of,
)
from console.pages.presenters.quota.loans import loan_rows
from console.pages.presenters.workloads.workload import stages_of
from console.pages.shell import render_page
from console.pages.views.queues import fresh_version
from console.pages.views.quota import may_change_quota
from console.pages.views.rule_moves import may_move_rules
from console.paging import Page
from console.policies.queries import active_policy, active_version
from console.policies.renames import new_name_of
from console.reading import QueryReader
from console.series.queries import peaks_of
from console.series.subjects import Subject
from console.workloads.disclosure import disclose_preemptors, for_reader
from console.workloads.explanations import explain_workload
from console.workloads.models import Workload
from console.workloads.queries import (
    QueueView,
    get_workload,
    pending_in_order,
    queue_view,
    running_of,
)
from console.workloads.queries.filters import read_reason
from console.workloads.queries.freshness import freshness_of
from console.workloads.queries.over_quota import over_quota_since_of
from console.workloads.queries.pending import capacity_end, pending_for_reason
from console.workloads.queries.rule_hits import rule_hits
from console.workloads.queries.running import MOST_COMPARED, running_by_size
from console.workloads.queries.sections import PLACEMENT_RULES, has_section
from console.workloads.queries.shares import has_shares, queue_shares
from console.workloads.services.hold_queue import hold_queue, resume_queue

#: Versions per page of the history.
VERSIONS = 20
#: Maximum number of listed loans; the page of the cohort has all.
LOANS = 50


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def queue(request: HttpRequest, actor: Actor, queue: str) -> HttpResponseBase:
    """Show one queue, or hold or resume it."""
    if request.method == "POST":
        return _change(request, actor, queue)
    return _detail(request, actor, name=queue)


@org_page
@require_safe
def bars(request: HttpRequest, actor: Actor, queue: str) -> HttpResponse:
    """Return the bars of all flavor-resources of a queue; the list of queues loads them."""
    view = queue_view(actor.org, queue)
    row = queue_row(
        view, fresh=freshness_of(actor.org), over_quota_since=over_quota_since_of(actor.org)
    )
    is_rest = request.GET.get("but") == "tightest"
    shown = [bar for bar in row.bars if not (is_rest and bar == row.tightest)]
    context = {"row": row, "bars": shown}
    return render_page(request, actor, "queues/bars.html", context, section="queues")


@org_page
@require_safe
def trace(request: HttpRequest, actor: Actor, uid: str) -> HttpResponse:
    """Return the stages of a workload's explanation; the pages of queues load them."""
    subject = get_workload(actor.org, uid)
    explained = for_reader(actor, explain_workload(actor.org, subject))
    context = {
        "workload": subject,
        "explanation": explained.explanation,
        "stages": stages_of(explained),
        "version": explained.config_version,
    }
    return render_page(request, actor, "queues/trace.html", context, section="workloads")


@live_by(fresh_version)
def _detail(
    request: HttpRequest,
    actor: Actor,
    *,
    name: str,
    hold_error: str = "",
    typed: Mapping[str, str] | None = None,
) -> HttpResponse:
    org = actor.org
    reader = QueryReader(request.GET)
    tab = reader.choice("tab", [each for each in TABS if each != "usage"]) or "pending"
    reason = read_reason(reader, actor.org) or ""
    by = reader.text("by") or ""
    reader.finish()
    view = queue_view(org, name)
    policy = active_policy(org)
    fresh, over_quota_since = freshness_of(org), over_quota_since_of(org)
    has_no_limit = any(isinstance(usage.guaranteed, Unlimited) for usage in view.usages)
    peaks = peaks_of(org, Subject.queue(name), timezone.now()) if has_no_limit else {}
    row = queue_row(view, fresh=fresh, over_quota_since=over_quota_since, peaks=peaks)
    loans = lazily(
        lambda: loan_rows(view.loans, policy, lender=name, over_quota_since=over_quota_since)
    )
    renamed = new_name_of(org, name) if view.draining else None
    columns = columns_of(view, policy)
    context = {
        "row": row,
        "queue": view,
        "columns": columns,
        "wording": load_discipline(policy.discipline).wording,
        "usages": [
            (usage, bar, cells_of(usage, columns))
            for usage, bar in zip(view.usages, row.bars, strict=True)
        ],
        "settings": queue_settings(policy, name),
        "has_placement": has_section(policy, PLACEMENT_RULES),
        "has_shares": has_shares(policy),
        "shares": lazily(lambda: queue_shares(org, name)),
        "pending_reasons": lazily(lambda: pending_reasons(org.slug, view, reason)),
        "tabs": tabs_of(org.slug, name, tab, {"pending": view.pending, "running": view.running}),
        "tab": tab,
        "reason": reason,
        "loans": lambda: loans()[:LOANS],
        "more_loans": lambda: max(0, len(loans()) - LOANS),
        "version": active_version(org),
        "behind": fresh.as_of,
        "renamed": renamed,
        "temporary": scheduled_rows(org.slug, temporary_of(org, policy, QUEUE, name)),
        "may_change_quota": may_change_quota(actor, view, policy),
        "may_move_rules": may_move_rules(actor, policy),
        "hold_error": hold_error,
        "hold_open": bool(hold_error) or request.GET.get("hold") == "1",
        "hold_spans": [(key, title) for key, (title, _) in SPANS.items()],
        "typed": typed or {},
    }

    def listed() -> dict[str, Any]:
        match tab:
            case "pending":
                return _pending(request, actor, view, reason)
            case "running":
                return _running(request, actor, view, policy, by)
            case "rules":
                return _rules(actor, view, policy)
            case _:
                return _history(request, actor, name)

    context["listed"] = lazily(listed)
    status = 422 if hold_error else 200
    return render_page(
        request, actor, "queues/detail.html", context, section="queues", status=status
    )


def _pending(request: HttpRequest, actor: Actor, view: QueueView, reason: str) -> dict[str, Any]:
    org, cursor = actor.org, request.GET.get("cursor")
    page: Page[Workload]
    if reason:
        page, end = pending_for_reason(org, view.name, reason, CARD_PAGE_SIZE, cursor), None
    else:
        page = pending_in_order(org, view.name, CARD_PAGE_SIZE, cursor)
        end = None if view.held or view.is_stopped else capacity_end(org, view.name)
    disclose_preemptors(actor, page.results)
    return {
        "pending": pending_rows(page.results, end, is_first=not cursor),
        "is_strict": view.strategy is Strategy.STRICT_FIFO,
        "free": free_words(view),
        "pager": pager_of(request.path, request.GET, page),
    }


def _running(
    request: HttpRequest, actor: Actor, view: QueueView, policy: Policy, by: str
) -> dict[str, Any]:
    org, cursor = actor.org, request.GET.get("cursor")
    resources = list(dict.fromkeys(usage.resource for usage in view.usages))
    is_comparable = bool(resources) and view.running <= MOST_COMPARED
    most_wanted = view.pressure.resource or next(iter(resources), "")
    chosen = by if by in resources else most_wanted
    if by == "newest" or not is_comparable:
        chosen = ""
        page = running_of(org, view.name, CARD_PAGE_SIZE, cursor)
    else:
        page = running_by_size(org, view.name, chosen, CARD_PAGE_SIZE, cursor)
    disclose_preemptors(actor, page.results)
    return {
        "running": running_rows(page.results, view, chosen or most_wanted),
        "orders": orders_of(request.path, request.GET, resources if is_comparable else [], chosen),
        "compared": MOST_COMPARED,
        "is_comparable": is_comparable or not resources,
        "stoppers": _preempted_by(view, policy),
        "pager": pager_of(request.path, request.GET, page),
    }


def _rules(actor: Actor, view: QueueView, policy: Policy) -> dict[str, Any]:
    hits = rule_hits(actor.org, policy)
    return {
        "hits": hits,
        "rules": hit_rows(view, policy, hits),
        "has_rules": routes_by_rules(policy),
        "has_local_queues": local_routing_of(policy) is not None,
    }


def _history(request: HttpRequest, actor: Actor, name: str) -> dict[str, Any]:
    log = queue_log(actor.org, name, VERSIONS, request.GET.get("cursor"))
    return {
        "log": log_rows(log),
        "old_names": log.old_names,
        "pager": pager_of(request.path, request.GET, log.page),
    }


def _change(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    try:
        if request.POST.get("do") == "resume":
            resume_queue(actor, name)
            messages.success(request, f"Queue {name} admits workloads again.")
        else:
            hold_input = read_hold(request.POST, timezone.now())
            hold = hold_queue(actor, name, hold_input.reason, hold_input.until)
            end = f" until {active_formats().minute(hold.until)}" if hold.until else ""
            messages.success(request, f"Queue {name} is held{end}: no new workloads are admitted.")
    except BadRequest as error:
        message = " ".join(field.message for field in error.errors)
        typed = {key: request.POST.get(key, "") for key in ("reason", "for", "until")}
        shown: HttpResponse = _detail(
            request, actor, name=name, hold_error=message or error.message, typed=typed
        )
        return shown
    return HttpResponseRedirect(reverse("pages:queue", args=[actor.org.slug, name]))


def _preempted_by(view: QueueView, policy: Policy) -> tuple[str, ...]:
    """Return texts about possible preemptors; none for a removed queue, which shares nothing."""
    if view.settings is None:
        return ()
    return load_discipline(policy.discipline).preempted_by(
        policy, view.settings, borrows=any(usage.borrowed for usage in view.usages)
    )
