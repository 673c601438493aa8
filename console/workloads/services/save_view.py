"""Save and delete personal and shared views of the workload list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from console.errors import Conflict, NotAllowed
from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org
from console.reading import Reader
from console.workloads.columns import WORKLOADS
from console.workloads.models import SavedView
from console.workloads.saved_views import (
    LONGEST_NAME,
    MOST_PERSONAL,
    MOST_SHARED,
    canonical_view_query,
    get_view,
    may_delete,
    may_share,
    views_of,
)


def save_view(
    actor: Actor, name: str, query: str, columns: Sequence[str] = (), *, is_shared: bool = False
) -> SavedView:
    """
    Save *query* and *columns* as the view *name*, replacing a view of that name.

    A shared view replaces only a shared one, and a personal view a personal one. Raises NotAllowed,
    BadRequest, and Conflict if another member shares a view of that name (``view_name_taken``) or
    the maximum number of views exists (``too_many_views``).
    """
    actor.require(Permission.READ)
    if is_shared and not may_share(actor):
        raise NotAllowed(
            f"The role {actor.role} may not share views; save it for yourself, or ask an operator, "
            "an editor or an owner to share it."
        )
    reader = Reader()
    name = reader.text(name, "name", LONGEST_NAME, blank=False).strip()
    reader.finish()
    kept, shown = canonical_view_query(query, actor.org), list(WORKLOADS.check(columns))
    with transaction.atomic():
        lock_org(actor.org)
        same = SavedView.objects.filter(org=actor.org, name=name, is_shared=is_shared)
        view = (same if is_shared else same.filter(owner=actor.key)).first()
        if view is not None and not may_delete(actor, view):
            raise Conflict(
                "view_name_taken",
                f"{view.author} shares a view that is called {name}; give yours another name.",
            )
        before = _facts(view) if view is not None else None
        if view is None:
            _check_room(actor, is_shared=is_shared)
            view = SavedView(org=actor.org, name=name, owner=actor.key, is_shared=is_shared)
        view.query, view.columns, view.author = kept, shown, actor.name
        view.save()
        after = _facts(view)
        if before != after:
            record(actor, "view.save", kind="view", subject=name, before=before, after=after)
    return view


def delete_view(actor: Actor, number: int) -> SavedView:
    """
    Delete view *number* and return it.

    Raises NotFound if *actor* does not see it, and NotAllowed for a shared view of another member.
    """
    actor.require(Permission.READ)
    with transaction.atomic():
        view = get_view(actor, number)
        if not may_delete(actor, view):
            raise NotAllowed(f"{view.author} shares this view; they or an owner may delete it.")
        before = _facts(view)
        view.delete()
        record(actor, "view.delete", kind="view", subject=view.name, before=before)
    return view


def _check_room(actor: Actor, *, is_shared: bool) -> None:
    rows = views_of(actor).filter(is_shared=is_shared)
    most = MOST_SHARED if is_shared else MOST_PERSONAL
    if rows.count() >= most:
        whose = "An organization shares" if is_shared else "You keep"
        raise Conflict("too_many_views", f"{whose} {most} views at most; delete one first.")


def _facts(view: SavedView) -> dict[str, Any]:
    return {"query": view.query, "columns": view.columns, "is_shared": view.is_shared}
