"""View that compares two workloads or two decisions, to show why their outcomes differ."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_safe

from console.errors import BadRequest, FieldError
from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.as_text import is_markdown_requested, markdown_answer
from console.pages.presenters.lists.addresses import with_query
from console.pages.presenters.lists.filters import canonical_query
from console.pages.presenters.workloads.comparison import comparison_markdown, comparison_page
from console.pages.shell import render_page
from console.reading import QueryReader
from console.workloads.comparisons import ComparisonRequest, compare_workload
from console.workloads.markdown import Links


@org_page
@require_safe
def comparison(request: HttpRequest, actor: Actor, uid: str) -> HttpResponse:
    """Compare workload *uid* with the one in the address, or with the most similar one."""
    query = canonical_query(request.GET)
    found = compare_workload(actor, uid, _read_request(query))
    page = comparison_page(found, request.path, query, actor.org.slug)
    text = ""
    if page.other is not None:
        here = Links(request.build_absolute_uri("/"), actor.org.slug).to("workload-compare", uid)
        text = comparison_markdown(page, with_query(here, query, **{"as": None}))
    if is_markdown_requested(request):
        if not text:
            message = "There is no workload to compare with yet."
            raise BadRequest([FieldError("as", "nothing_to_compare", message)])
        return markdown_answer(text)
    context = {
        "workload": found.one.workload,
        "page": page,
        "chosen": query,
        "copy_text": text,
        "markdown_url": with_query(request.path, query, **{"as": "markdown"}),
    }
    return render_page(request, actor, "workloads/compare.html", context, section="workloads")


def _read_request(query: QueryDict) -> ComparisonRequest:
    reader = QueryReader(query)
    comparison = ComparisonRequest(
        decision=reader.number("decision"),
        other=reader.text("with"),
        other_decision=reader.number("other"),
    )
    reader.finish()
    return comparison
