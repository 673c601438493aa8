"""Timeline entries of events: a sentence, a glyph and a link to the affected object."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from console.engine.wording import reasons
from console.orgs.models import Organization
from console.pages.personal_formats import active_formats
from console.pages.templatetags.ui import event_title
from console.workloads.models import Event, EventType

GLYPHS = {
    "CONFIG_UPDATED": "config",
    "REQUEST_SUBMITTED": "submitted",
    "REQUEST_QUEUED": "pending",
    "REQUEST_ADMITTED": "admitted",
    "REQUEST_REJECTED": "rejected",
    "REQUEST_PREEMPTED": "preempting",
    "REQUEST_REQUEUED": "pending",
    "REQUEST_RELEASED": "finished",
    "REQUEST_FULFILLED": "finished",
    "REQUEST_ABORTED": "withdrawn",
    "REQUEST_FAILED": "rejected",
    "EXPECTATION_SAVED": "config",
    "EXPECTATION_DELETED": "config",
    "QUEUE_HELD": "held",
    "QUEUE_RESUMED": "accepting",
    "CLUSTER_REGISTERED": "accepting",
    "CLUSTER_CHANGED": "accepting",
    "CLUSTER_SILENT": "warning",
    "CLUSTER_RETURNED": "accepting",
    "CLUSTER_DELETED": "withdrawn",
    "PODS_RESIZED": "admitted",
    "PODS_FINISHED": "finished",
    "PODS_RELEASED": "finished",
    "PRIORITY_CHANGED": "config",
    "DEACTIVATED": "preempting",
    "ACTIVATED": "pending",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One event in a timeline."""

    key: int
    type: str
    type_title: str
    level: str
    glyph: str
    sentence: str
    actor: str
    queue: str
    at: datetime
    #: The affected workload, config version or expectation.
    href: str
    href_title: str


def timeline_of(org: Organization, events: Iterable[Event]) -> tuple[Entry, ...]:
    """Return the entries of *events*, in the same order."""
    return tuple(_entry(org, event) for event in events)


def _entry(org: Organization, event: Event) -> Entry:
    href = href_title = ""
    uid = getattr(event, "workload_uid", None)
    if uid:
        href = reverse("pages:workload", args=[org.slug, uid])
        href_title = str(event.data.get("name") or uid)
    elif event.type == "CONFIG_UPDATED" and event.data.get("version"):
        href = reverse("pages:config-version", args=[org.slug, event.data["version"]])
        href_title = f"v{event.data['version']}"
    elif event.type.startswith("EXPECTATION_"):
        href = reverse("pages:expectations", args=[org.slug])
        href_title = event.data["name"]
    elif event.type.startswith("CLUSTER_") and event.type != EventType.CLUSTER_DELETED:
        href = reverse("pages:cluster", args=[org.slug, event.data["cluster"]])
        href_title = event.data["cluster"]
    return Entry(
        key=event.pk,
        type=event.type,
        type_title=event_title(event.type),
        level=event.level,
        glyph=GLYPHS.get(event.type, "info"),
        sentence=reasons.event_sentence(event.type, event.data, active_formats().minute),
        actor=event.actor,
        queue=event.queue or "",
        at=event.created_at,
        href=href,
        href_title=href_title,
    )
