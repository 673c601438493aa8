"""Views of the list of workloads, with filters, groups and export, and of one reason."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_safe

from console.dialects.objects import current_queue
from console.engine.model.policy import Policy
from console.engine.model.reasons import ReasonClass, reason_of, registered_reasons
from console.errors import BadRequest, FieldError
from console.orgs.identities import identity_of
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.canonical import canonical_redirect
from console.pages.exports import export_links, export_response
from console.pages.kept_columns import keep_columns, with_kept_columns
from console.pages.live import live_page
from console.pages.presenters.lists.addresses import PAGE_SIZE, pager_of, with_query
from console.pages.presenters.lists.columns import choices_of, with_columns
from console.pages.presenters.lists.filter_line import LINE, take_line, words_of
from console.pages.presenters.lists.filters import canonical_query, chips_of, segments_of
from console.pages.presenters.lists.tallies import permalink
from console.pages.presenters.workloads.columns import (
    ORDER_TITLES,
    column_title,
    columns_of,
    file_columns,
    sorted_columns,
    with_label_columns,
)
from console.pages.presenters.workloads.groups import filter_suggestion, groups_of, total_text
from console.pages.presenters.workloads.one_reason import reason_page
from console.pages.presenters.workloads.saved_views import tabs_of
from console.pages.shell import render_page
from console.pages.templatetags.ui import REASON_CLASS_TITLES
from console.policies.queries import active_policy
from console.reading import QueryReader
from console.workloads.columns import LABEL, PARAMETER, WORKLOADS
from console.workloads.disclosure import disclose_preemptors
from console.workloads.export import EXPORTED, exported_rows
from console.workloads.models import State
from console.workloads.queries import WorkloadFilter, list_workloads, state_counts
from console.workloads.queries.filter_values import occurring_reasons, workload_values
from console.workloads.queries.filters import LACKING, REASON_CLASSES, TYPES, read_reason
from console.workloads.queries.groups import GROUPINGS, count_workloads, group_workloads
from console.workloads.queries.listing import Order, may_order, read_order
from console.workloads.queries.matching import may_select_all
from console.workloads.reason_causes import explain_reason
from console.workloads.saved_views import PARAMETERS, may_share, read_grouping, views_of
from console.workloads.text_query import TextFilters

FILTERS = tuple(name for name in PARAMETERS if name not in ("group_by", "sort"))

#: The filters in a line of text, whose names are mostly those of their parameters.
TEXT_FILTERS = TextFilters(
    names={
        ("class" if name == "reason_class" else "name" if name == "q" else name): name
        for name in FILTERS
    },
    choices={
        "state": State.values,
        "type": TYPES,
        "reason": tuple(registered_reasons()),
        "reason_class": REASON_CLASSES,
        "without": LACKING,
    },
    check=WorkloadFilter.from_query,
    has_labels=True,
)


@org_page
@require_safe
@live_page
def workloads(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """List workloads by the filters of the address, newest first."""
    query = with_columns(canonical_query(request.GET, repeatable=("col",)), WORKLOADS)
    query = with_kept_columns(request, query, WORKLOADS)
    line, mistakes = take_line(request.path, query, TEXT_FILTERS)
    if redirect := canonical_redirect(request, query, keeps=LINE if mistakes else ""):
        keep_columns(request, redirect, query)
        return redirect
    chosen = WorkloadFilter.from_query(query, actor.org)
    if query.get("sort") == Order.PRIORITY and not may_order(Order.PRIORITY, chosen):
        # A link that changes the filters keeps the order, which not every list has.
        del query["sort"]
    order, by = read_order(query, chosen), read_grouping(query)
    shown = WORKLOADS.read(query.get(PARAMETER, ""))
    file = export_response(
        request,
        actor,
        f"{actor.org.slug}-workloads",
        file_columns(shown) if PARAMETER in query else EXPORTED,
        with_label_columns(exported_rows(actor, chosen, order), shown),
    )
    if file is not None:
        return file
    policy = active_policy(actor.org)
    context = {
        **_counted(request, actor, query, chosen),
        **(_rows(request, actor, query, chosen, order) if by is None else {}),
        **(_groups(request, actor, query, chosen, by) if by is not None else {}),
        "columns": sorted_columns(request.path, query, columns_of(shown), order, chosen),
        "order_title": ORDER_TITLES[order],
        "column_choices": choices_of(WORKLOADS, shown, column_title),
        "views": lambda: tabs_of(request.path, query, views_of(actor), policy),
        "view_query": _view_query(query),
        "view_columns": query.get(PARAMETER, ""),
        "may_share": lambda: may_share(actor),
        "chips": chips_of(request.path, query, FILTERS),
        "line": line,
        "mistakes": mistakes,
        "exports": export_links(request.path, _ungrouped(query)),
        "permalink": (link := permalink(request.path, query)),
        "permalink_text": request.build_absolute_uri(link),
        "chosen": query,
        "conditions": chosen,
        "grouping": by or "",
        "groupings": GROUPINGS,
        "queue_names": list(policy.queues),
        "flavor_names": list(policy.spec.capacity_names),
        **_gone(request.path, query, chosen.queue, policy),
        "reasons": lambda: _reasons(actor.org, chosen),
        "reason_classes": [
            (each, REASON_CLASS_TITLES[ReasonClass(each)]) for each in REASON_CLASSES
        ],
        "types": TYPES,
        "is_start": not query.get("cursor"),
    }
    return render_page(request, actor, "workloads/index.html", context, section="workloads")


def _gone(path: str, query: QueryDict, queue: str | None, policy: Policy) -> dict[str, Any]:
    """Return a filtered queue that *policy* does not have, and where its successor is listed."""
    if queue is None or queue in policy.queues:
        return {"gone_queue": ""}
    successor = current_queue(policy, queue)
    if successor == queue:
        return {"gone_queue": queue}
    there = query.copy()
    there.pop("cursor", None)
    there["queue"] = successor
    return {
        "gone_queue": queue,
        "successor": successor,
        "successor_url": f"{path}?{there.urlencode()}",
    }


@org_page
@require_safe
def filter_words(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show words that continue a line of filters, each with the list that it filters."""
    query = canonical_query(request.GET)
    words = words_of(
        reverse("pages:workloads", args=[actor.org.slug]),
        query,
        TEXT_FILTERS,
        workload_values(actor.org),
    )
    context = {"words": words, "title": "Workloads"}
    return render_page(request, actor, "components/filter_words.html", context, section="workloads")


@org_page
@require_safe
def one_reason(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Explain all workloads with one reason on one page."""
    reader = QueryReader(request.GET)
    reason = read_reason(reader, actor.org)
    queue = reader.text("queue")
    reader.finish()
    if reason is None:
        message = "Add a reason to the address, such as ?reason=waiting_for_quota."
        raise BadRequest([FieldError("reason", "required", message)])
    page = reason_page(explain_reason(actor, reason, queue))
    return render_page(
        request, actor, "workloads/one_reason.html", {"page": page}, section="workloads"
    )


@org_page
@require_safe
def mine(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Redirect to the workloads of the actor's user; the address is the same for all members."""
    actor.require(Permission.READ)
    query = QueryDict(mutable=True)
    # An e-mail address that is too long for a user has no workloads.
    query["user"] = identity_of(actor).user or actor.name
    path = reverse("pages:workloads", args=[actor.org.slug])
    return HttpResponseRedirect(with_query(path, query))


def _counted(
    request: HttpRequest, actor: Actor, query: QueryDict, chosen: WorkloadFilter
) -> dict[str, Any]:
    counts = state_counts(actor.org)
    total = count_workloads(actor.org, chosen)
    return {
        "segments": segments_of(request.path, query, counts, chosen.state or ""),
        "any_exist": sum(counts.values()) > 0,
        "total": total_text(total),
        # All rows of a shorter list are selected by the box in its head.
        "selectable": total.count if total.count > PAGE_SIZE and may_select_all(total) else 0,
    }


def _rows(
    request: HttpRequest, actor: Actor, query: QueryDict, chosen: WorkloadFilter, order: Order
) -> dict[str, Any]:
    page = list_workloads(actor.org, chosen, PAGE_SIZE, query.get("cursor"), order)
    disclose_preemptors(actor, page.results)
    is_empty = not page.results and not page.next and not query.get("cursor")
    return {
        "workloads": page.results,
        "pager": pager_of(request.path, query, page),
        "suggestion": filter_suggestion(actor.org, request.path, query, FILTERS)
        if is_empty
        else None,
    }


def _groups(
    request: HttpRequest, actor: Actor, query: QueryDict, chosen: WorkloadFilter, by: str
) -> dict[str, Any]:
    found = group_workloads(actor.org, chosen, by)
    return {"grouped": groups_of(request.path, query, actor.org, chosen, by, found)}


def _reasons(org: Organization, chosen: WorkloadFilter) -> list[tuple[str, str]]:
    """Return (code, label) of the reasons that workloads have, and of the chosen one."""
    found = occurring_reasons(org)
    if chosen.reason and chosen.reason not in found:
        found.append(chosen.reason)
    return [(reason, reason_of(reason).label) for reason in found]


def _view_query(query: QueryDict) -> str:
    """Return the part of the query that a saved view stores."""
    kept = query.copy()
    for name in list(kept):
        if name not in PARAMETERS and not name.startswith(LABEL):
            del kept[name]
    return kept.urlencode()


def _ungrouped(query: QueryDict) -> QueryDict:
    rest = query.copy()
    rest.pop("group_by", None)
    return rest
