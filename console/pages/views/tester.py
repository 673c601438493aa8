"""View of the rule tester: one workload with one config, or with two side by side."""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.views.decorators.http import require_safe

from console.configs.services.try_route import try_route
from console.errors import BadRequest, FieldError, NotFound
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.presenters.tester.lines import Result
from console.pages.presenters.tester.tested import result_of
from console.pages.shell import render_page
from console.pages.tester_form import draft_of, offers, subjects_of
from console.pages.tester_query import Asked, asked_of, loaded, pasted, workload_of


@org_page
@require_safe
def tester(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Test a label set; the address contains the whole input, and nothing is stored."""
    asked = asked_of(request.GET)
    if "draft" in request.GET:
        # Pages of a draft link here with the parameter of the other pages of drafts.
        asked = replace(asked, config=f"draft-{request.GET['draft']}")
    paste, uid = request.GET.get("paste", ""), request.GET.get("workload", "").strip()
    typed = {"paste": paste, "workload": uid}
    is_asked = was_asked = "key" in request.GET or bool(paste.strip() or uid)
    start = _start(request.GET.get("rules", ""))
    errors: list[FieldError] = []
    results: list[Result] = []
    try:
        asked = _filled(asked, actor.org, paste, uid)
        canonical = asked.query(**({"rules": str(start)} if start else {}))
        if is_asked and QueryDict(canonical[1:]) != request.GET:
            return HttpResponseRedirect(request.path + canonical)
        if is_asked:
            workload = workload_of(asked, actor.org)
    except BadRequest as error:
        errors += error.errors
        is_asked = False
    except NotFound as error:
        errors.append(FieldError("workload", "not_found", error.message))
        is_asked = False
    subjects = subjects_of(actor.org, asked, errors)
    if is_asked and not errors:
        results = [
            result_of(try_route(actor, each, workload, start=start), asked, request.path, start)
            for each in subjects
        ]
    draft = draft_of(actor.org, asked.config)
    context = {
        "asked": asked,
        "typed": typed,
        "errors": errors,
        "wrong": {error.path.partition(".")[0]: True for error in errors},
        "without_pods": replace(asked, pods="").query(),
        "results": results,
        "draft": draft,
        **offers(actor.org, subjects),
    }
    return render_page(
        request,
        actor,
        "tester/index.html",
        context,
        section="tester" if draft is None else "config",
        # The page of a draft with errors has status 200 until a test is requested.
        status=400 if errors and was_asked else 200,
    )


def _filled(asked: Asked, org: Organization, paste: str, uid: str) -> Asked:
    """Return *asked* with the fields of the workload *uid*, or with the pasted fields."""
    if uid:
        return loaded(asked, org, uid)
    return pasted(asked, paste) if paste.strip() else asked


def _start(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0
