"""View that submits workloads, by a form or as pasted JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.errors import BadRequest, FieldError
from console.logs import bind_workloads
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.forms import SubmitForm, read_pasted
from console.pages.shell import render_page
from console.policies.queries import active_policy, least_priority
from console.workloads.models import Workload
from console.workloads.services.submit_workloads import submit_workloads

#: Resources in the form if the active config has none.
USUAL_RESOURCES = ("cpu", "memory_gb", "gpu")

EXAMPLE = """[
  {"name": "train-a",
   "tags": {"team": "research"},
   "requests": {"gpu": 8, "cpu": 64}},
  {"name": "notebook",
   "type": "workspace",
   "requests": {"cpu": 4.5}}
]"""


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the form, or submit workloads: all or none."""
    actor.require(Permission.SUBMIT)
    new_form = partial(
        SubmitForm,
        resources=_resources(actor.org),
        least_priority=partial(least_priority, actor.org),
    )
    if request.method != "POST":
        return _page(request, actor, new_form())
    if "json" in request.POST:
        return _pasted(request, actor, new_form)
    form = new_form(request.POST)
    if not form.is_valid():
        return _page(request, actor, form, status=422)
    return _done(request, actor, submit_workloads(actor, form.submissions))


def _pasted(request: HttpRequest, actor: Actor, new_form: Callable[[], SubmitForm]) -> HttpResponse:
    text = request.POST["json"]
    try:
        made = submit_workloads(actor, read_pasted(text, partial(least_priority, actor.org)))
    except BadRequest as error:
        return _page(request, actor, new_form(), pasted=text, errors=error.errors, status=422)
    return _done(request, actor, made)


def _done(request: HttpRequest, actor: Actor, made: Sequence[Workload]) -> HttpResponse:
    org = actor.org
    bind_workloads(workload.uid for workload in made)
    if len(made) == 1:
        return HttpResponseRedirect(reverse("pages:workload", args=[org.slug, made[0].uid]))
    messages.success(request, f"{len(made)} workloads are submitted.")
    query = urlencode({"since": made[0].submitted_at.isoformat()})
    return HttpResponseRedirect(f"{reverse('pages:workloads', args=[org.slug])}?{query}")


def _page(
    request: HttpRequest,
    actor: Actor,
    form: SubmitForm,
    *,
    pasted: str = "",
    errors: Sequence[FieldError] = (),
    status: int = 200,
) -> HttpResponse:
    context = {"form": form, "pasted": pasted, "json_errors": errors, "example": EXAMPLE}
    return render_page(
        request, actor, "workloads/new.html", context, section="workloads", status=status
    )


def _resources(org: Organization) -> tuple[str, ...]:
    return active_policy(org).spec.resources() or USUAL_RESOURCES
