"""Response bodies of saved views."""

from __future__ import annotations

from typing import Any

from console.api.answers.times import time_answer
from console.engine.model.policy import Policy
from console.orgs.permissions import Actor
from console.workloads.models import SavedView
from console.workloads.saved_views import may_delete, present_query


def view_answer(actor: Actor, view: SavedView, policy: Policy) -> dict[str, Any]:
    """Return a view as *actor* sees it under the active *policy*."""
    return {
        "id": view.pk,
        "name": view.name,
        "query": present_query(view, policy).urlencode(),
        "columns": view.columns,
        "is_shared": view.is_shared,
        "author": view.author,
        "is_own": view.owner == actor.key,
        "may_delete": may_delete(actor, view),
        "updated_at": time_answer(view.updated_at),
    }
