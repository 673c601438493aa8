"""The form of a webhook, read by the same rules as the API's requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from console.webhooks.models import CHOSEN_KINDS, Kind, Webhook
from console.workloads.models import EventType
from console.workloads.queries.event_search import EventSearch


def given_of(post: QueryDict) -> dict[str, Any]:
    """Return what was posted as the fields of a webhook; queues stand one on each line."""
    lines = [line.strip() for line in post.get("queues", "").splitlines()]
    return {
        "name": post.get("name", ""),
        "url": post.get("url", "").strip(),
        "kinds": post.getlist("kinds"),
        "queues": [line for line in lines if line],
    }


#: Kinds of messages by type of event.
_KINDS_OF: Final[Mapping[str, tuple[Kind, ...]]] = {
    EventType.REQUEST_REJECTED: (Kind.REJECTED,),
    EventType.REQUEST_PREEMPTED: (Kind.PREEMPTED,),
    EventType.CONFIG_UPDATED: (Kind.APPLIED, Kind.REVERTED, Kind.REVERT_FAILED),
}


def address_for(org: str, search: EventSearch) -> str:
    """Return the URL of the webhook form for the events of *search*; empty without such a kind."""
    types = search.types or tuple(_KINDS_OF)
    kinds = [("kind", kind.value) for each in types for kind in _KINDS_OF.get(each, ())]
    queues = [("queue", queue) for queue in search.queues]
    url = reverse("pages:webhook-new", args=[org])
    return f"{url}?{urlencode([*kinds, *queues])}" if kinds else ""


def shown_of(webhook: Webhook | None, asked: QueryDict | None = None) -> dict[str, Any]:
    """
    Return what the form of *webhook* shows before anything is typed.

    A new one begins with the kinds and queues that an address has *asked* for.
    """
    if webhook is None:
        given = asked or QueryDict()
        known = {kind.value for kind in CHOSEN_KINDS}
        kinds = [kind for kind in given.getlist("kind") if kind in known]
        return {"name": "", "url": "", "kinds": kinds, "queues": given.getlist("queue")}
    return {
        "name": webhook.name,
        "url": webhook.url,
        "kinds": webhook.kinds,
        "queues": webhook.queues,
    }
