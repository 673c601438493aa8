"""Saved views of workloads: links above the list, and rows of the page of saved views."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.http import QueryDict
from django.urls import reverse

from console.engine.model.policy import Policy
from console.orgs.permissions import Actor
from console.pages.presenters.lists.filters import chips_of
from console.pages.presenters.workloads.columns import column_title
from console.workloads.columns import PARAMETER
from console.workloads.models import SavedView
from console.workloads.saved_views import PARAMETERS, may_delete, present_query, view_address

#: Maximum number of links above the list; the page of saved views has all.
MOST_TABS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewTab:
    """The link to one view."""

    name: str
    url: str
    is_current: bool
    is_shared: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewRow:
    """One view with its filters and columns."""

    number: int
    name: str
    url: str
    holds: tuple[str, ...]
    columns: str
    whose: str
    is_shared: bool
    saved_at: datetime
    may_delete: bool
    #: The filtered queue if the active config does not have it any more.
    gone_queue: str


def tabs_of(
    path: str, query: QueryDict, views: Iterable[SavedView], policy: Policy
) -> tuple[ViewTab, ...]:
    """
    Return links to the first of *views*; the view that is equal to *query* is current.

    *policy* is the active one, whose successors of queues views follow.
    """
    here = {name: value for name, value in query.items() if name in (*PARAMETERS, PARAMETER)}
    here |= {name: value for name, value in query.items() if name.startswith("label.")}
    tabs = []
    for view in list(views)[:MOST_TABS]:
        address = view_address(view, policy)
        tabs.append(
            ViewTab(
                name=view.name,
                url=f"{path}?{address}".rstrip("?"),
                # A view without columns is shown with those that the reader has chosen.
                is_current=QueryDict(address).dict()
                == (here if view.columns else {k: v for k, v in here.items() if k != PARAMETER}),
                is_shared=view.is_shared,
            )
        )
    return tuple(tabs)


def view_rows(actor: Actor, views: Iterable[SavedView], policy: Policy) -> tuple[ViewRow, ...]:
    """Return the rows of *views* under the active *policy*."""
    path = reverse("pages:workloads", args=[actor.org.slug])
    return tuple(_row(actor, path, view, policy) for view in views)


def _row(actor: Actor, path: str, view: SavedView, policy: Policy) -> ViewRow:
    query = present_query(view, policy)
    queue = query.get("queue", "")
    return ViewRow(
        number=view.pk,
        name=view.name,
        url=f"{path}?{view_address(view, policy)}".rstrip("?"),
        holds=tuple(
            f"{chip.name.replace('_', ' ')}: {chip.value}"
            for chip in chips_of(path, query, PARAMETERS)
        ),
        columns=", ".join(map(column_title, view.columns)),
        whose="you" if view.owner == actor.key else view.author,
        is_shared=view.is_shared,
        saved_at=view.updated_at,
        may_delete=may_delete(actor, view),
        gone_queue=queue if queue and queue not in policy.queues else "",
    )
