"""Digests: one message with the messages of a day about the workloads of one member."""

from __future__ import annotations

import json
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final

from console.orgs.models import Organization
from console.webhooks.models import Kind
from console.webhooks.payloads import Message, envelope, merged, page_url

#: The time of day, in UTC, at which digests are sent.
SENT_AT: Final = time(7, tzinfo=UTC)


def next_digest(now: datetime) -> datetime:
    """
    Return the time of the next digest after *now*.

    >>> next_digest(datetime(2026, 1, 31, 7, tzinfo=UTC)).isoformat()
    '2026-02-01T07:00:00+00:00'
    """
    today = datetime.combine(now.astimezone(UTC).date(), SENT_AT)
    return today if now < today else today + timedelta(days=1)


def digest_of(org: Organization, now: datetime, body: str) -> Message:
    """Return a digest that has only the message *body* about workloads."""
    return _digest(org, now, [json.loads(body)])


def merged_digests(org: Organization, now: datetime, old: str, new: str) -> Message:
    """Merge two bodies of digests; *old* is the earlier one."""
    sections = {section["type"]: section for section in json.loads(old)["data"]["sections"]}
    for section in json.loads(new)["data"]["sections"]:
        kind = section["type"]
        if kind in sections:
            both = merged(org, kind, now, json.dumps(sections[kind]), json.dumps(section))
            sections[kind] = json.loads(both.body)
        else:
            sections[kind] = section
    return _digest(org, now, list(sections.values()))


def _digest(org: Organization, now: datetime, sections: list[dict[str, Any]]) -> Message:
    summary = "; ".join(str(section["summary"]) for section in sections)
    url = page_url(org, "workloads/mine")
    return envelope(org, Kind.DIGEST, now, summary, url, {"sections": sections})
