"""Views of scheduled changes: the list, and one change, which is moved, made early or canceled."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from console.configs.models import ScheduledChange
from console.configs.queries import coming_changes, get_scheduled, list_scheduled
from console.configs.services.carry_out_changes import carry_out_now
from console.configs.services.reschedule_change import cancel_change, reschedule_change
from console.errors import BadRequest, Conflict, FieldError
from console.expensive import Kind, expensive
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.local_times import read_local
from console.pages.presenters.configs.schedule import scheduled_row, scheduled_rows
from console.pages.presenters.configs.text_diff import diff_lines
from console.pages.presenters.lists.addresses import PAGE_SIZE, pager_of
from console.pages.shell import render_page
from console.policies.queries import get_version


@org_page
@require_safe
def scheduled(request: HttpRequest, actor: Actor) -> HttpResponse:
    """List the changes to come, and all changes that were scheduled."""
    page = list_scheduled(actor.org, PAGE_SIZE, request.GET.get("cursor"))
    context = {
        "coming": scheduled_rows(actor.org.slug, coming_changes(actor.org)),
        "rows": scheduled_rows(actor.org.slug, page.results),
        "pager": pager_of(request.path, request.GET, page),
    }
    return render_page(request, actor, "configs/scheduled.html", context, section="config")


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def one(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """Show a scheduled change; move it, carry it out now, or cancel it."""
    if request.method != "POST":
        return _page(request, actor, get_scheduled(actor.org, number))
    actor.require(Permission.APPLY)
    try:
        return _act(request, actor, number)
    except BadRequest as error:
        problem = " ".join(each.message for each in error.errors)
        return _refused(request, actor, number, problem, status=422)
    except Conflict as error:
        return _refused(request, actor, number, error.message, status=409)


def _act(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    org, do = actor.org.slug, request.POST.get("do", "")
    if do == "now":
        change = get_scheduled(actor.org, number)
        with expensive(Kind.CHECK, actor.org.pk, actor.key, size=len(change.text)):
            version = carry_out_now(actor, number)
        url = reverse("pages:config-version", args=[org, version.number])
        return HttpResponseRedirect(f"{url}?applied=1")
    if do == "cancel":
        cancel_change(actor, number)
        messages.success(request, "The scheduled change is canceled.")
    elif do == "move":
        due_at = read_local(request.POST, "due_at")
        if due_at is None:
            raise BadRequest([FieldError("due_at", "required", "Enter a date and a time.")])
        reschedule_change(actor, number, due_at)
        messages.success(request, "The time is changed.")
    else:
        message = "Choose an action: move, now or cancel."
        raise BadRequest([FieldError("do", "invalid_choice", message)])
    return HttpResponseRedirect(reverse("pages:config-scheduled-change", args=[org, number]))


def _refused(
    request: HttpRequest, actor: Actor, number: int, problem: str, *, status: int
) -> HttpResponse:
    change = get_scheduled(actor.org, number)
    return _page(request, actor, change, problem=problem, status=status)


def _page(
    request: HttpRequest,
    actor: Actor,
    change: ScheduledChange,
    *,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {
        "row": scheduled_row(actor.org.slug, change),
        "change": change,
        "problem": problem,
        "typed": request.POST.get("due_at", ""),
        "is_coming": change.state == ScheduledChange.State.SCHEDULED,
        "is_end": change.kind == ScheduledChange.Kind.END,
        "rows": _difference(actor, change),
    }
    return render_page(
        request, actor, "configs/scheduled_change.html", context, section="config", status=status
    )


def _difference(actor: Actor, change: ScheduledChange) -> object:
    """Return the difference between the base version and the text to apply; None for an end."""
    if change.kind != ScheduledChange.Kind.APPLY:
        return None
    before = get_version(actor.org, change.base).text if change.base else ""
    with expensive(Kind.COMPARE, actor.org.pk, actor.key, size=len(before) + len(change.text)):
        return diff_lines(before, change.text)
