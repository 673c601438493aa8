"""Saved views of the list of workloads, and their permissions."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.http import QueryDict

from console.dialects.objects import current_queue
from console.engine.model.policy import Policy
from console.errors import BadRequest, FieldError, NotFound
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.reading import QueryReader
from console.workloads.columns import PARAMETER
from console.workloads.models import SavedView
from console.workloads.queries.filters import WorkloadFilter
from console.workloads.queries.groups import GROUPINGS
from console.workloads.queries.listing import read_order

#: Maximum number of views of one person or token, and of shared views of an organization.
MOST_PERSONAL, MOST_SHARED = 50, 100

LONGEST_NAME, LONGEST_QUERY = 100, 2000

#: Parameters of the query of a view, besides labels.
PARAMETERS = (
    *("state", "queue", "reason", "reason_class", "user", "project", "type", "flavor", "without"),
    *("q", "priority", "older", "newer", "since", "until"),
    *("group_by", "sort"),
)


def may_share(actor: Actor) -> bool:
    """Return whether *actor* may save views that all members see."""
    return actor.may(Permission.MANAGE_WORK) or actor.may(Permission.DRAFT)


def may_delete(actor: Actor, view: SavedView) -> bool:
    """Return whether *actor* may delete or replace *view*."""
    return view.owner == actor.key or (view.is_shared and actor.may(Permission.MANAGE_ORG))


def views_of(actor: Actor) -> QuerySet[SavedView]:
    """Return the views that *actor* sees, shared ones and their own, by name."""
    return SavedView.objects.filter(Q(is_shared=True) | Q(owner=actor.key), org=actor.org)


def get_view(actor: Actor, number: int) -> SavedView:
    """Return view *number*; raises NotFound if *actor* does not see it."""
    view = views_of(actor).filter(pk=number).first()
    if view is None:
        raise NotFound(f"There is no view {number} in {actor.org.slug}; it may have been deleted.")
    return view


def canonical_view_query(text: str, org: Organization) -> str:
    """
    Return the query string *text* of a view of *org* in canonical form.

    Raises BadRequest with an unknown parameter, or with every wrong value.
    """
    given = QueryDict(text)
    unknown = [name for name in given if name not in PARAMETERS and not name.startswith("label.")]
    if unknown:
        known = f"{', '.join(PARAMETERS)} and label.KEY"
        message = f"{unknown[0][:80]!r} is not part of a view; it has: {known}."
        raise BadRequest([FieldError("query", "unknown_parameter", message)])
    read_order(given, WorkloadFilter.from_query(given, org))
    read_grouping(given)
    kept = QueryDict(mutable=True)
    for name in sorted(given):
        if given[name]:
            kept[name] = given[name]
    if len(kept.urlencode()) > LONGEST_QUERY:
        message = f"At most {LONGEST_QUERY:,} characters; this has {len(kept.urlencode()):,}."
        raise BadRequest([FieldError("query", "too_long", message)])
    return kept.urlencode()


def read_grouping(query: QueryDict) -> str | None:
    """Return the requested grouping of a list; raises BadRequest for an unknown one."""
    reader = QueryReader(query)
    found = reader.choice("group_by", GROUPINGS)
    reader.finish()
    return found


def present_query(view: SavedView, policy: Policy) -> QueryDict:
    """Return the query of *view*; its queue has the name under which *policy* continues it."""
    query = QueryDict(view.query, mutable=True)
    if queue := query.get("queue"):
        query["queue"] = current_queue(policy, queue)
    return query


def view_address(view: SavedView, policy: Policy) -> str:
    """Return the query string that opens *view* under the active *policy*."""
    query = present_query(view, policy)
    if view.columns:
        query[PARAMETER] = ",".join(view.columns)
    return query.urlencode()
