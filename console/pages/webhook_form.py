"""Fields of the webhook form: posted values, initial values and links with preset values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from console.engine.model.policy import Policy
from console.webhooks.models import CHOSEN_KINDS, Format, Kind, Webhook
from console.workloads.models import EventType
from console.workloads.queries.event_search import EventSearch

#: Maximum number of queues that the form suggests; others are typed.
_MOST_CHOICES: Final = 500


def posted_fields(post: QueryDict) -> dict[str, Any]:
    """Return the posted values as fields of a webhook, with the queue that is being added."""
    added = post.get("queue", "").strip()
    queues = [*post.getlist("queues"), *([added] if added else [])]
    # A webhook keeps its format, so the form of an existing one has no field for it.
    formats = {"format": post["format"]} if "format" in post else {}
    return formats | {
        "name": post.get("name", ""),
        "url": post.get("url", "").strip(),
        "kinds": post.getlist("kinds"),
        "queues": list(dict.fromkeys(queues)),
    }


def adds_queue(post: QueryDict) -> bool:
    """Return whether the form was sent to add a queue; without a name, it is saved."""
    # Browsers press the first button of a form, which adds a queue, when Enter is pressed.
    return post.get("do") == "add" and bool(post.get("queue", "").strip())


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
        return {
            "name": "",
            "url": "",
            "format": Format.JSON.value,
            "kinds": kinds,
            "queues": given.getlist("queue"),
        }
    return {
        "name": webhook.name,
        "url": webhook.url,
        "format": webhook.format,
        "kinds": webhook.kinds,
        "queues": webhook.queues,
    }


@dataclass(frozen=True, slots=True)
class ChosenQueue:
    """A queue of the filter; *is_known* tells whether the active config has it."""

    name: str
    is_known: bool


def chosen_queues(names: Iterable[str], policy: Policy) -> tuple[ChosenQueue, ...]:
    """Return the queues of the filter; those that only placement rules create are unknown."""
    return tuple(ChosenQueue(name, name in policy.queues) for name in names)


def queue_choices(names: Collection[str], policy: Policy) -> tuple[str, ...]:
    """Return the queues of the active config that can be added to *names*."""
    return tuple(islice((each for each in policy.queues if each not in names), _MOST_CHOICES))
