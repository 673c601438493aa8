"""Queues: the list, one queue, and holding it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from console.configs.queries import active_policy, active_version
from console.engine.policy import Strategy
from console.errors import BadRequest
from console.orgs.permissions import Actor
from console.pages.access import live_page, org_page
from console.pages.presenters.lists import PAGE_SIZE, pager_of
from console.pages.presenters.loans import loan_rows
from console.pages.presenters.queues import (
    local_queues_of,
    queue_row,
    reason_counts,
    rules_of,
)
from console.pages.shell import render_page
from console.workloads.queries import pending_in_order, queue_list, queue_view, running_of
from console.workloads.queries.waiting import waiting_reasons
from console.workloads.services.hold_queue import hold_queue, resume_queue


@require_safe
@org_page
@live_page
def queues(request: HttpRequest, actor: Actor) -> HttpResponse:
    """List the queues of the active config in its order, then the draining ones."""
    rows = [queue_row(view) for view in queue_list(actor.org)]
    return render_page(request, actor, "queues/index.html", {"rows": rows}, section="queues")


@require_http_methods(["GET", "HEAD", "POST"])
@org_page
def queue(request: HttpRequest, actor: Actor, queue: str) -> HttpResponse:
    """Show one queue, or hold and resume it."""
    if request.method == "POST":
        return _change(request, actor, queue)
    return _detail(request, actor, name=queue)


@live_page
def _detail(request: HttpRequest, actor: Actor, *, name: str, hold_error: str = "") -> HttpResponse:
    org = actor.org
    row = queue_row(queue_view(org, name))
    pending = pending_in_order(org, name, PAGE_SIZE, request.GET.get("pending"))
    running = running_of(org, name, PAGE_SIZE, request.GET.get("running"))
    policy = active_policy(org)
    loans = loan_rows(row.view.loans, policy, lender=name)
    context = {
        "row": row,
        "queue": row.view,
        "usages": list(zip(row.view.usages, row.bars, strict=True)),
        "reasons": reason_counts(waiting_reasons(org, name)),
        "pending": pending.results,
        "pending_pager": pager_of(request.path, request.GET, pending, "pending"),
        "running": running.results,
        "running_pager": pager_of(request.path, request.GET, running, "running"),
        "rules": rules_of(row.view, policy),
        "local_queues": local_queues_of(name, policy),
        "is_strict": row.view.strategy is Strategy.STRICT_FIFO,
        "loans": loans[:PAGE_SIZE],
        "more_loans": max(0, len(loans) - PAGE_SIZE),
        "version": active_version(org),
        "hold_error": hold_error,
    }
    status = 422 if hold_error else 200
    return render_page(
        request, actor, "queues/detail.html", context, section="queues", status=status
    )


def _change(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    try:
        if request.POST.get("do") == "resume":
            resume_queue(actor, name)
            messages.success(request, f"Queue {name} admits work again.")
        else:
            hold_queue(actor, name, request.POST.get("reason", "").strip())
            messages.success(request, f"Queue {name} is held: nothing new is admitted from it.")
    except BadRequest as error:
        reasons = " ".join(field.message for field in error.errors)
        return _detail(request, actor, name=name, hold_error=reasons or error.message)
    return HttpResponseRedirect(reverse("pages:queue", args=[actor.org.slug, name]))
