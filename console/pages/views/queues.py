"""Views of the list of queues, its export, and the comparison of a few queues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_safe

from console.errors import NotFound
from console.exports import Row
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.canonical import canonical_redirect
from console.pages.exports import export_links, export_response
from console.pages.kept_columns import keep_columns, with_kept_columns
from console.pages.live import live_by
from console.pages.presenters.lists.addresses import pager_of
from console.pages.presenters.lists.columns import choices_of, with_columns
from console.pages.presenters.lists.filter_line import LINE, ShownMistake, take_line, words_of
from console.pages.presenters.lists.filters import canonical_query, chips_of
from console.pages.presenters.queues.queue_files import COLUMNS, file_rows
from console.pages.presenters.queues.queue_list import (
    ListedQueue,
    cohort_choices,
    column_title,
    columns_of,
    compared_bars,
    file_columns,
    group_choices,
    head_of,
    listed_queues,
    order_choices,
    state_choices,
)
from console.pages.presenters.queues.queue_tree import (
    QueueTree,
    level_links,
    resource_links,
    resources_of,
    sum_columns,
    tree_rows,
)
from console.pages.queue_form import (
    FEWEST,
    MOST,
    NO_COHORT,
    STATES,
    QueueSearch,
    page_of,
    read_search,
)
from console.pages.shell import render_page
from console.pages.views.new_queue import may_add_queue
from console.policies.queries import active_policy
from console.series.queries import sparks_of, wait_quantiles_of
from console.workloads.columns import PARAMETER, QUEUES
from console.workloads.queries import QueueView
from console.workloads.queries.freshness import Freshness, freshness_of, present_state_and_age
from console.workloads.queries.over_quota import over_quota_since_of
from console.workloads.queries.queue_tree import TreeNode, forest_of
from console.workloads.queries.queues import queues_and_capacity
from console.workloads.text_query import TextFilters

FILTERS = ("q", "cohort", "state")

#: Queues per page: more than a large screen shows, and few enough for cards on a phone.
PAGE_SIZE = 28

#: Nodes per page of the tree.
TREE_PAGE_SIZE = 40


def fresh_version(org: Organization) -> str:
    """Return a text that changes with the data of pages of queues and with its age."""
    return present_state_and_age(org)


@org_page
@require_safe
@live_by(fresh_version)
def queues(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """List queues by the filters of the address; by default, highest pressure first."""
    org = actor.org
    query = canonical_query(request.GET, repeatable=("compare", "open", "fold", "col"))
    query = with_kept_columns(request, with_columns(query, QUEUES), QUEUES)
    line, mistakes = "", list[ShownMistake]()
    if LINE in query:
        line, mistakes = take_line(request.path, query, text_filters(org))
    if redirect := canonical_redirect(request, query, keeps=LINE if mistakes else ""):
        keep_columns(request, redirect, query)
        return redirect
    search, shown = read_search(query), QUEUES.read(query.get(PARAMETER, ""))
    views, capacity = queues_and_capacity(org)
    if search.compared:
        return _compare(request, actor, search, views)
    found = search.apply(views)

    def every_queue() -> Iterator[Row]:
        yield from file_rows(found, wait_quantiles_of(org, [view.name for view in found]))

    written = file_columns(shown) if PARAMETER in query else COLUMNS
    file = export_response(request, actor, f"{org.slug}-queues", written, every_queue())
    if file is not None:
        return file
    fresh = freshness_of(org)
    context = {
        **(
            _tree(request, query, search, forest_of(views, capacity), fresh, org)
            if search.is_tree
            else _list(request, query, search, found, fresh, org)
        ),
        "name_head": head_of(request.path, query, search, "Queue", "name"),
        "columns": columns_of(request.path, query, search, shown),
        "column_choices": choices_of(QUEUES, shown, column_title),
        "any_exist": bool(views),
        "may_add_queue": may_add_queue(actor, active_policy(org)),
        "behind": fresh.as_of,
        "search": search,
        "orders": order_choices(search),
        "states": state_choices(search),
        "cohorts": cohort_choices(search, active_policy(org).spec.parents),
        "groups": group_choices(search),
        "chips": chips_of(request.path, query, FILTERS),
        "line": line,
        "mistakes": mistakes,
        "chosen": query,
        "exports": export_links(request.path, query),
        "fewest": FEWEST,
        "most": MOST,
    }
    return render_page(request, actor, "queues/index.html", context, section="queues")


def _list(
    request: HttpRequest,
    query: QueryDict,
    search: QueueSearch,
    found: Sequence[QueueView],
    fresh: Freshness,
    org: Organization,
) -> dict[str, Any]:
    page = page_of(found, query.get("cursor"), PAGE_SIZE)
    return {
        "rows": _listed(org, page.results, search, fresh),
        "pager": pager_of(request.path, query, page),
        "found": len(found),
    }


def _tree(
    request: HttpRequest,
    query: QueryDict,
    search: QueueSearch,
    roots: Sequence[TreeNode],
    fresh: Freshness,
    org: Organization,
) -> dict[str, Any]:
    path, policy = request.path, active_policy(org)
    tree = QueueTree(roots, search)
    page = page_of(tree.visible, query.get("cursor"), TREE_PAGE_SIZE)
    resources = resources_of(roots)
    resource = search.resource if search.resource in resources else next(iter(resources), "")
    columns = sum_columns(policy)
    return {
        "rows": tree_rows(path, query, tree, page.results, columns, resource, fresh),
        "pager": pager_of(path, query, page),
        "found": tree.queue_count,
        "heads": columns_of(path, query, search, ("quota", "running", "pending")),
        "sums": columns,
        "resource": resource,
        "resources": resource_links(path, query, resources, resource),
        "levels": level_links(path, query, tree),
    }


def text_filters(org: Organization) -> TextFilters:
    """Return the filters in a line of text above the list of queues of *org*."""
    cohorts = (*active_policy(org).spec.parents, NO_COHORT)
    return TextFilters(
        names={"name": "q", "cohort": "cohort", "state": "state"},
        choices={"state": STATES, "cohort": cohorts},
        check=read_search,
    )


@org_page
@require_safe
def filter_words(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Show words that continue a line of filters, each with the list that it filters."""
    words = words_of(
        reverse("pages:queues", args=[actor.org.slug]),
        canonical_query(request.GET),
        text_filters(actor.org),
        {"q": tuple(active_policy(actor.org).queues)},
    )
    context = {"words": words, "title": "Queues"}
    return render_page(request, actor, "components/filter_words.html", context, section="queues")


def _compare(
    request: HttpRequest, actor: Actor, search: QueueSearch, views: Sequence[QueueView]
) -> HttpResponseBase:
    """Show the chosen queues side by side; raise NotFound if one of them does not exist."""
    by_name = {view.name: view for view in views}
    for name in search.compared:
        if name not in by_name:
            raise NotFound(f"There is no queue {name!r} in the active config of {actor.org.slug}.")
    fresh = freshness_of(actor.org)
    rows = _listed(actor.org, [by_name[name] for name in search.compared], search, fresh)
    context = {"rows": rows, "usages": compared_bars(rows), "behind": fresh.as_of}
    return render_page(request, actor, "queues/compare.html", context, section="queues")


def _listed(
    org: Organization, views: Sequence[QueueView], search: QueueSearch, fresh: Freshness
) -> tuple[ListedQueue, ...]:
    names = [view.name for view in views]
    return listed_queues(
        views,
        wait_quantiles_of(org, names),
        sparks_of(org, names),
        is_grouped=search.is_grouped,
        fresh=fresh,
        over_quota_since=over_quota_since_of(org),
    )
