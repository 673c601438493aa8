"""Saved views of the list of workloads, and their permissions."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.http import QueryDict

from console.errors import BadRequest, FieldError, NotFound
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.reading import QueryReader
from console.workloads.columns import PARAMETER
from console.workloads.models import SavedView
from console.workloads.queries.filters import WorkloadFilter
from console.workloads.queries.groups import GROUPINGS

#: Views that one person or token keeps, and that an organization shares.
MOST_PERSONAL, MOST_SHARED = 50, 100

LONGEST_NAME, LONGEST_QUERY = 100, 2000

#: What the query of a view may hold, besides labels.
PARAMETERS = (
    *("state", "queue", "reason", "reason_class", "user", "project", "type", "flavor", "without"),
    *("q", "since", "until"),
    "group_by",
)


def may_share(actor: Actor) -> bool:
    """Say whether *actor* may save views that all members see."""
    return actor.may(Permission.MANAGE_WORK) or actor.may(Permission.DRAFT)


def may_delete(actor: Actor, view: SavedView) -> bool:
    """Say whether *actor* may delete or replace *view*."""
    return view.owner == actor.key or (view.is_shared and actor.may(Permission.MANAGE_ORG))


def views_of(actor: Actor) -> QuerySet[SavedView]:
    """Return the views that *actor* sees: those shared with all, and their own; by name."""
    return SavedView.objects.filter(Q(is_shared=True) | Q(owner=actor.key), org=actor.org)


def get_view(actor: Actor, number: int) -> SavedView:
    """Return view *number*; raises NotFound when *actor* sees none of it."""
    view = views_of(actor).filter(pk=number).first()
    if view is None:
        raise NotFound(f"There is no view {number} in {actor.org.slug}; it may have been deleted.")
    return view


def canonical_view_query(text: str, org: Organization) -> str:
    """
    Return the query string of a view of *org* as it is kept.

    Raises BadRequest that names every parameter that is not known and every wrong value.
    """
    given = QueryDict(text)
    unknown = [name for name in given if name not in PARAMETERS and not name.startswith("label.")]
    if unknown:
        known = f"{', '.join(PARAMETERS)} and label.KEY"
        message = f"{unknown[0][:80]!r} is not part of a view; it has: {known}."
        raise BadRequest([FieldError("query", "unknown_parameter", message)])
    WorkloadFilter.from_query(given, org)
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
    """Return what a list is grouped by; raises BadRequest for what it cannot be."""
    reader = QueryReader(query)
    found = reader.choice("group_by", GROUPINGS)
    reader.finish()
    return found


def view_address(view: SavedView) -> str:
    """Return the query string that opens *view*."""
    query = QueryDict(view.query, mutable=True)
    if view.columns:
        query[PARAMETER] = ",".join(view.columns)
    return query.urlencode()
