"""Fields of the webhook form: posted values, initial values and links with preset values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from console.webhooks.models import CHOSEN_KINDS, Kind, Webhook
from console.workloads.models import EventType
from console.workloads.queries.event_search import EventSearch


def posted_fields(post: QueryDict) -> dict[str, Any]:
    """Return the posted values as fields of a webhook; *queues* has one name on each line."""
    lines = [line.strip() for line in post.get("queues", "").splitlines()]
    return {
        "name": post.get("name", ""),
        "url": post.get("url", "").strip(),
        "kinds": post.getlist("kinds"),
        "queues": [line for line in lines if line],
    }


#: Type of event -> kinds of messages about it.
_KINDS_OF: Final[Mapping[str, tuple[Kind, ...]]] = {
    EventType.REQUEST_REJECTED: (Kind.REJECTED,),
    EventType.REQUEST_PREEMPTED: (Kind.PREEMPTED,),
    EventType.CONFIG_UPDATED: (Kind.APPLIED, Kind.REVERTED, Kind.REVERT_FAILED),
}


def new_webhook_url(org: str, search: EventSearch) -> str:
    """Return the URL of a webhook form for the events of *search*; empty if no kind matches."""
    types = search.types or tuple(_KINDS_OF)
    kinds = [("kind", kind.value) for each in types for kind in _KINDS_OF.get(each, ())]
    queues = [("queue", queue) for queue in search.queues]
    url = reverse("pages:webhook-new", args=[org])
    return f"{url}?{urlencode([*kinds, *queues])}" if kinds else ""


def initial_fields(webhook: Webhook | None, preset: QueryDict | None = None) -> dict[str, Any]:
    """
    Return the initial values of the form of *webhook*.

    A new webhook starts with the kinds and queues in *preset*, the query of the address.
    """
    if webhook is None:
        given = preset or QueryDict()
        known = {kind.value for kind in CHOSEN_KINDS}
        kinds = [kind for kind in given.getlist("kind") if kind in known]
        return {"name": "", "url": "", "kinds": kinds, "queues": given.getlist("queue")}
    return {
        "name": webhook.name,
        "url": webhook.url,
        "kinds": webhook.kinds,
        "queues": webhook.queues,
    }
