"""View of the rule tester: one workload with one config, or with two side by side."""

from __future__ import annotations

import re
from dataclasses import replace

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.views.decorators.http import require_safe

from console.configs.services.try_route import try_route
from console.errors import BadRequest, FieldError, NotFound
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.presenters.tester.lines import TestResult
from console.pages.presenters.tester.tested import result_of
from console.pages.shell import render_page
from console.pages.tester_form import draft_of, form_options, tested_configs
from console.pages.tester_query import (
    TesterQuery,
    read_tester_query,
    with_paste,
    with_workload,
    workload_of,
)


@org_page
@require_safe
def tester(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Test a label set; the address contains the whole input, and nothing is stored."""
    query = read_tester_query(request.GET)
    if "draft" in request.GET:
        # Pages of a draft link here with the parameter of the other pages of drafts.
        query = replace(query, config=f"draft-{request.GET['draft']}")
    paste, uid = request.GET.get("paste", ""), request.GET.get("workload", "").strip()
    typed = {"paste": paste, "workload": uid}
    is_requested = was_requested = "key" in request.GET or bool(paste.strip() or uid)
    start = _start(request.GET.get("rules", ""))
    errors: list[FieldError] = []
    results: list[TestResult] = []
    try:
        query = _filled(query, actor.org, paste, uid)
        canonical = query.to_query_string(**({"rules": str(start)} if start else {}))
        if is_requested and QueryDict(canonical[1:]) != request.GET:
            return HttpResponseRedirect(request.path + canonical)
        if is_requested:
            workload = workload_of(query, actor.org)
    except BadRequest as error:
        errors += error.errors
        is_requested = False
    except NotFound as error:
        errors.append(FieldError("workload", "not_found", error.message))
        is_requested = False
    configs = tested_configs(actor.org, query, errors)
    if is_requested and not errors:
        results = [
            result_of(try_route(actor, each, workload, start=start), query, request.path, start)
            for each in configs
        ]
    draft = draft_of(actor.org, query.config)
    context = {
        "query": query,
        "typed": typed,
        "errors": errors,
        "wrong": {re.split(r"[.\[]", error.path)[0]: True for error in errors},
        "without_pods": replace(query, pods="").to_query_string(),
        "results": results,
        "draft": draft,
        **form_options(actor.org, configs),
    }
    return render_page(
        request,
        actor,
        "tester/index.html",
        context,
        section="tester" if draft is None else "config",
        # The page of a draft with errors has status 200 until a test is requested.
        status=400 if errors and was_requested else 200,
    )


def _filled(query: TesterQuery, org: Organization, paste: str, uid: str) -> TesterQuery:
    """Return *query* with the fields of the workload *uid*, or with the pasted fields."""
    if uid:
        return with_workload(query, org, uid)
    return with_paste(query, paste) if paste.strip() else query


def _start(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0
