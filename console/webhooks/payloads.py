"""
Bodies of deliveries: JSON of version 1, with the field names of the API.

A body lists the first workloads and counts the others, so that its size is bounded.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote, urlencode

from django.conf import settings

from console.engine.wording.notices import config_notice, review_notice, workloads_notice
from console.orgs.models import Organization
from console.time_formats import to_iso
from console.webhooks.models import Kind

VERSION: Final = 1

#: Maximum number of workloads listed in one delivery.
LISTED: Final = 50

_SUMMARY = 300

#: Queries of the page that lists the workloads of a kind.
_LISTS: Mapping[str, Mapping[str, str]] = {
    Kind.ADMITTED: {"state": "admitted"},
    Kind.REJECTED: {"state": "rejected"},
    Kind.CANNOT_RUN: {"state": "pending"},
    Kind.PREEMPTED: {"state": "preempting"},
}


@dataclass(frozen=True, slots=True)
class Message:
    """A delivery's summary and body."""

    summary: str
    body: str


def workloads_message(
    org: Organization,
    kind: str,
    now: datetime,
    workloads: Sequence[Mapping[str, Any]],
    reasons: Mapping[str, int],
) -> Message:
    """
    Return the message about workloads.

    *workloads* are the first ones in the form of the body, *reasons* counts all of them by code.
    """
    count = sum(reasons.values())
    listed = list(workloads[:LISTED])
    name = str(listed[0]["name"]) if listed else ""
    data = {
        "count": count,
        "reasons": dict(reasons),
        "workloads": listed,
        "omitted": count - len(listed),
    }
    summary = workloads_notice(kind, reasons, name)
    if count == 1:
        url = workload_url(org, str(listed[0]["id"])) if listed else page_url(org, "workloads")
    else:
        url = f"{page_url(org, 'workloads')}?{urlencode(_LISTS[kind])}"
    return envelope(org, kind, now, summary, url, data)


def merged(org: Organization, kind: str, now: datetime, old: str, new: str) -> Message:
    """Merge two bodies about workloads; *old* is the earlier one."""
    before, after = json.loads(old)["data"], json.loads(new)["data"]
    reasons = Counter(before["reasons"]) + Counter(after["reasons"])
    workloads = [*before["workloads"], *after["workloads"]]
    return workloads_message(org, kind, now, workloads, reasons)


def config_message(
    org: Organization, kind: str, now: datetime, data: Mapping[str, Any], author: str
) -> Message:
    """Return the message about a config change, from the facts of its event."""
    is_revert = kind == Kind.REVERTED
    summary = config_notice(data, is_revert=is_revert)
    path = f"config/v/{data['version']}"
    if kind == Kind.CHANGE_FAILED:
        path = f"config/scheduled/{data['scheduled']}"
    return envelope(org, kind, now, summary, page_url(org, path), {**data, "author": author})


def review_message(
    org: Organization, kind: str, now: datetime, number: int, data: Mapping[str, Any], author: str
) -> Message:
    """Return the message about review request *number*, which *author* submitted."""
    facts = {"request": number, **data, "author": author}
    url = page_url(org, f"config/reviews/{number}")
    return envelope(org, kind, now, review_notice(kind, facts), url, facts)


def test_message(org: Organization, now: datetime, asked_by: str, receiver: str) -> Message:
    """Return the message of a test of *receiver*."""
    summary = f"A test of {receiver}, requested by {asked_by}"
    return envelope(org, Kind.TEST, now, summary, page_url(org, ""), {"asked_by": asked_by})


def confirmation_message(org: Organization, now: datetime) -> Message:
    """Return the message that asks a member to confirm the address; the e-mail has the link."""
    url = page_url(org, "settings/notifications")
    return envelope(org, Kind.CONFIRM, now, "Confirm your e-mail address", url, {})


def workload_url(org: Organization, uid: str) -> str:
    """Return the URL of the page of a workload."""
    return page_url(org, f"workloads/{quote(uid)}")


def page_url(org: Organization, path: str) -> str:
    """Return the absolute URL of a page of *org*."""
    return f"{settings.PUBLIC_URL}/o/{org.slug}/{path}"


def envelope(
    org: Organization, kind: str, now: datetime, summary: str, url: str, data: Mapping[str, Any]
) -> Message:
    """Return the message with the fields that every body has."""
    body = {
        "version": VERSION,
        "type": str(kind),
        "timestamp": to_iso(now),
        "org": org.slug,
        "summary": summary,
        "url": url,
        "data": data,
    }
    short = summary if len(summary) <= _SUMMARY else f"{summary[: _SUMMARY - 1]}…"
    return Message(short, json.dumps(body, ensure_ascii=False))
