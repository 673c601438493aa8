"""View that lists, saves and deletes saved views of the list of workloads."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.errors import NotFound
from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.presenters.workloads.saved_views import view_rows
from console.pages.shell import render_page
from console.policies.queries import active_policy
from console.workloads.saved_views import view_address, views_of
from console.workloads.services.save_view import delete_view, save_view


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def views(request: HttpRequest, actor: Actor) -> HttpResponse:
    """List the views that *actor* may see, save one, or delete one."""
    if request.method == "POST":
        return _act(request, actor)
    rows = view_rows(actor, views_of(actor), active_policy(actor.org))
    return render_page(request, actor, "workloads/views.html", {"rows": rows}, section="workloads")


def _act(request: HttpRequest, actor: Actor) -> HttpResponse:
    here = reverse("pages:workload-views", args=[actor.org.slug])
    number = request.POST.get("delete", "")
    if number:
        if not (number.isascii() and number.isdigit() and len(number) < 19):
            raise NotFound("This view does not exist.")
        gone = delete_view(actor, int(number))
        messages.success(request, f"The view {gone.name} is deleted.")
        return HttpResponseRedirect(here)
    saved = save_view(
        actor,
        request.POST.get("name", ""),
        request.POST.get("query", ""),
        [name for name in request.POST.get("columns", "").split(",") if name],
        is_shared=request.POST.get("is_shared") == "on",
    )
    messages.success(request, f"The view {saved.name} is saved.")
    path = reverse("pages:workloads", args=[actor.org.slug])
    return HttpResponseRedirect(
        f"{path}?{view_address(saved, active_policy(actor.org))}".rstrip("?")
    )
