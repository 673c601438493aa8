"""Views of expectations: label sets and the queues to which every config has to route them."""

from __future__ import annotations

import re
from dataclasses import replace

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from console.configs.models import Expectation
from console.configs.queries import expectations_of, get_expectation
from console.configs.services.check_expectations import (
    evaluate_expectations,
    saved_expectations,
    to_expected,
)
from console.configs.services.save_expectations import (
    delete_expectations,
    save_expectation,
)
from console.errors import BadRequest, Conflict, FieldError
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.presenters.configs.expectations import (
    as_file,
    expectation_rows,
    query_of_expectation,
)
from console.pages.shell import render_page
from console.pages.tester_form import form_options, tested_configs
from console.pages.tester_query import TesterQuery, read_expectation, read_tester_query


@org_page
@require_safe
def expectations(request: HttpRequest, actor: Actor) -> HttpResponse:
    """List the expectations with their results for a config, or return them as a YAML file."""
    if request.GET.get("as") == "yaml":
        return _file(as_file(saved_expectations(actor.org)))
    config = request.GET.get("config") or "active"
    errors: list[FieldError] = []
    configs = tested_configs(actor.org, TesterQuery(config=config), errors)
    met = evaluate_expectations(actor.org, configs[0].policy) if configs else ()
    numbers = dict(expectations_of(actor.org).values_list("name", "pk"))
    rows = expectation_rows(met, numbers, config, reverse("pages:tester", args=[actor.org.slug]))
    context = {
        "rows": rows,
        "broken": sum(not each.is_met for each in met),
        "config": config,
        "errors": errors,
        "wrong": bool(errors),
        **form_options(actor.org, configs),
    }
    return render_page(
        request,
        actor,
        "expectations/index.html",
        context,
        section="tester",
        status=400 if errors else 200,
    )


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the form for a new expectation with values from the address, or save it."""
    actor.require(Permission.DRAFT)
    given = request.POST if request.method == "POST" else request.GET
    return _edit(request, actor, None, read_tester_query(given))


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def one(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """Change an expectation, or delete it."""
    actor.require(Permission.DRAFT)
    row = get_expectation(actor.org, number)
    if request.method != "POST":
        return _edit(request, actor, row, query_of_expectation(row))
    if request.POST.get("do") == "delete":
        delete_expectations(actor, [row.name])
        messages.success(request, f"{row.name} is deleted.")
        return HttpResponseRedirect(reverse("pages:expectations", args=[actor.org.slug]))
    return _edit(request, actor, row, read_tester_query(request.POST))


def _edit(
    request: HttpRequest, actor: Actor, row: Expectation | None, query: TesterQuery
) -> HttpResponse:
    """Show the form with *query*, or save the posted form; *row* is the changed expectation."""
    errors: list[FieldError] = []
    if request.method == "POST":
        try:
            expected = read_expectation(request.POST, query, actor.org)
            save_expectation(actor, expected, row.pk if row is not None else None)
        except BadRequest as error:
            errors += error.errors
        except Conflict as error:
            errors.append(FieldError("", error.code, error.message))
        else:
            messages.success(request, f"{expected.name} is saved.")
            return HttpResponseRedirect(reverse("pages:expectations", args=[actor.org.slug]))
    given = request.POST if request.method == "POST" else request.GET
    typed = {name: given.get(name, "") for name in ("name", "queue", "effective_priority")}
    if row is not None and request.method != "POST":
        expected = to_expected(row)
        priority = "" if expected.priority is None else str(expected.priority)
        typed = {"name": row.name, "queue": row.queue or "", "effective_priority": priority}
    configs = tested_configs(actor.org, replace(query, config="active", beside=""), [])
    context = {
        "row": row,
        "query": query,
        "typed": typed,
        "errors": errors,
        "wrong": {re.split(r"[.\[]", error.path)[0]: True for error in errors},
        "queues": list(configs[0].policy.queues)[:500],
        **form_options(actor.org, configs),
    }
    return render_page(
        request,
        actor,
        "expectations/edit.html",
        context,
        section="tester",
        status=422 if errors else 200,
    )


def _file(text: str) -> HttpResponse:
    response = HttpResponse(text, content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="expectations.yaml"'
    return response
