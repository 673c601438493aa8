"""View that acts on the workloads selected in the list, after a confirmation."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_POST

from console.errors import BadRequest, FieldError, NotFound
from console.logs import bind_workloads
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.presenters.lists.filters import canonical_query
from console.pages.priority_field import read_priority
from console.pages.shell import render_page
from console.reading import is_storable
from console.workloads.models import ENDED, LIVE, State
from console.workloads.queries.filters import WorkloadFilter
from console.workloads.queries.matching import matching_ids, states_among
from console.workloads.selection import Result, selected, summary
from console.workloads.services.activate_workloads import activate_each, deactivate_each
from console.workloads.services.change_priorities import change_priorities
from console.workloads.services.end_workloads import withdraw_each
from console.workloads.services.resubmit_workloads import resubmit_each

#: Maximum number of characters of an id.
_LONGEST: Final = 100


@dataclass(frozen=True, slots=True)
class _Action:
    """A request about the selected workloads, in words."""

    verb: str
    #: States in which it is possible, and its effect.
    states: frozenset[str]
    effect: str
    #: Service; its last argument has the sent fields, among them an idempotency key.
    act: Callable[[Actor, Sequence[str], QueryDict], list[Result]]
    #: Whether the confirmation asks for a priority.
    asks_priority: bool = False


_ACTIONS: Final = {
    "withdraw": _Action(
        "Withdraw",
        frozenset(LIVE),
        "Withdrawn workloads end permanently and free their quota.",
        lambda actor, ids, _: withdraw_each(actor, ids),
    ),
    "resubmit": _Action(
        "Resubmit",
        frozenset(ENDED),
        "Each ended workload is submitted again as a new one with the same request.",
        lambda actor, ids, sent: resubmit_each(actor, ids, sent.get("key") or None),
    ),
    "deactivate": _Action(
        "Deactivate",
        frozenset(LIVE),
        "Deactivated workloads get no turn until they are activated; running ones have to stop.",
        lambda actor, ids, _: deactivate_each(actor, ids),
    ),
    "activate": _Action(
        "Activate",
        frozenset(LIVE),
        "Deactivated workloads have turns again, at their place by submission.",
        lambda actor, ids, _: activate_each(actor, ids),
    ),
    "priority": _Action(
        "Change the priority of",
        frozenset(LIVE),
        "Pending workloads change their position; running ones, which workloads may preempt them.",
        lambda actor, ids, sent: change_priorities(actor, ids, read_priority(sent)),
        asks_priority=True,
    ),
}


@org_page
@require_POST
def selected_workloads(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Ask for a confirmation, or act on the selected workloads and show a result for each."""
    actor.require(Permission.SUBMIT)
    action = _ACTIONS.get(request.POST.get("do", ""))
    if action is None:
        raise NotFound("Unknown action on selected workloads.")
    query = canonical_query(QueryDict(request.POST.get("query", "")))
    try:
        ids = _ids(request, actor, query)
        if "confirmed" not in request.POST:
            return _page(request, actor, query, _question(actor, request.POST["do"], action, ids))
        try:
            results = action.act(actor, ids, request.POST)
        except BadRequest as error:
            if not action.asks_priority:
                raise
            question = _question(actor, request.POST["do"], action, ids)
            question |= {"problem": _message(error), "typed": request.POST.get("priority", "")}
            return _page(request, actor, query, question)
    except BadRequest as error:
        # A response with an error status would not be shown in the open list.
        status = 200 if "HX-Request" in request.headers else 400
        return _page(request, actor, query, {"error": _message(error)}, status=status)
    bind_workloads(ids)
    shown = {"results": results, "summary": summary(results)}
    return _page(request, actor, query, shown)


def _message(error: BadRequest) -> str:
    return " ".join(dict.fromkeys(each.message for each in error.errors))


def _ids(request: HttpRequest, actor: Actor, query: QueryDict) -> list[str]:
    """Return the selected ids: those in the request, or of all workloads that match the filters."""
    if "all" in request.POST:
        return matching_ids(actor.org, WorkloadFilter.from_query(query, actor.org))
    ids = request.POST.getlist("id")
    if not ids:
        message = "No workload is selected; select at least one in the list."
        raise BadRequest([FieldError("id", "required", message)], message)
    if not all(is_storable(uid) and len(uid) <= _LONGEST for uid in ids):
        message = "An id of a selected workload is invalid; select the workloads again."
        raise BadRequest([FieldError("id", "invalid_id", message)], message)
    return selected(ids)


def _question(actor: Actor, do: str, action: _Action, ids: Sequence[str]) -> dict[str, Any]:
    states = states_among(actor.org, ids)
    possible = sum(count for state, count in states.items() if state in action.states)
    return {
        "question": action,
        "do": do,
        "ids": ids,
        "possible": possible,
        "impossible": len(ids) - possible,
        "states": [(str(State(state).label), states[state]) for state in State if states[state]],
        "key": secrets.token_urlsafe(16),
    }


def _page(
    request: HttpRequest,
    actor: Actor,
    query: QueryDict,
    shown: dict[str, Any],
    *,
    status: int = 200,
) -> HttpResponse:
    text = query.urlencode()
    path = reverse("pages:workloads", args=[actor.org.slug])
    context = {**shown, "query": text, "list_url": f"{path}?{text}".rstrip("?")}
    return render_page(
        request, actor, "workloads/selected.html", context, section="workloads", status=status
    )
