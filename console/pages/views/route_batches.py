"""View that tests many label sets at once, with results as a table or CSV."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.configs.read_expectations import read_tested_workload
from console.configs.services.try_route import MOST_AT_ONCE, try_routes
from console.engine.model.workload import Workload
from console.errors import BadRequest, FieldError
from console.expensive import Kind, expensive
from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.pasted_labels import paste_many
from console.pages.presenters.tester.batches import BATCH_COLUMNS, batch_csv, batch_rows
from console.pages.shell import render_page
from console.pages.tester_form import form_options, tested_configs
from console.pages.tester_query import TesterQuery
from console.reading import Reader

EXAMPLE = "team=research, tier=gold\nteam=web"


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def batch(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Test up to a hundred label sets at once; they are posted, as an address is too short."""
    given = request.POST if request.method == "POST" else request.GET
    config = given.get("config") or "active"
    sets = request.POST.get("sets", "")
    context: dict[str, object] = {"sets": sets, "config": config, "most": MOST_AT_ONCE}
    context["example"] = EXAMPLE
    errors: list[FieldError] = []
    configs = tested_configs(actor.org, TesterQuery(config=config), errors)
    if request.method == "POST" and not errors:
        try:
            workloads = _workloads(sets, configs[0].policy.least_priority)
        except BadRequest as error:
            errors += error.errors
        else:
            with expensive(Kind.ROUTE, actor.org.pk, actor.key):
                placed = try_routes(actor, configs[0], workloads)
            rows = batch_rows(placed, config, reverse("pages:tester", args=[actor.org.slug]))
            if request.POST.get("as") == "csv":
                return _csv(batch_csv(rows))
            context |= {"rows": rows, "columns": BATCH_COLUMNS}
    context |= {"errors": errors, **form_options(actor.org, configs)}
    status = 400 if errors else 200
    return render_page(
        request, actor, "tester/batch.html", context, section="tester", status=status
    )


def _workloads(text: str, least_priority: int) -> list[Workload]:
    workloads, errors = [], []
    for number, fields in enumerate(paste_many(text, "sets"), start=1):
        reader = Reader()
        workloads.append(
            read_tested_workload(reader, fields, least_priority=lambda: least_priority)
        )
        errors += [
            FieldError("sets", each.code, f"Set {number}, {each.path}: {each.message}")
            for each in reader.errors
        ]
    if errors:
        raise BadRequest(errors)
    return workloads


def _csv(text: str) -> HttpResponse:
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="tested-labels.csv"'
    return response
