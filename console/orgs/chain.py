"""
The chain of an organization's audit entries: each digest covers its entry and the digest before.

Entries are sealed shortly after their transactions have committed, one after the other, so that
requests that write entries do not wait for each other. The content of an entry is the SHA-256 of
the entry as JSON, with sorted keys, no spaces and minimal escaping; its digest is the SHA-256 of
the digest before (empty for number 1), a line feed, and the content, both in hexadecimal.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from console.orgs.models import AuditEntry
from console.time_formats import to_iso

#: Columns of an entry and its digest, in the order of `sealed_facts_of`.
COLUMNS = (
    *("number", "id", "time", "action", "kind", "subject", "actor", "actor_key"),
    *("before", "after", "ip", "agent", "request_id", "digest"),
)


def facts_of(entry: AuditEntry) -> dict[str, Any]:
    """Return the fields of an entry without its digest, as in exports, API and chain."""
    return {
        "number": entry.number,
        "id": entry.pk,
        "time": to_iso(entry.created_at),
        "action": entry.action,
        "kind": entry.kind,
        "subject": entry.subject,
        "actor": entry.actor,
        "actor_key": entry.actor_key,
        "before": entry.before,
        "after": entry.after,
        "ip": entry.ip,
        "agent": entry.agent,
        "request_id": entry.request_id,
    }


def sealed_facts_of(entry: AuditEntry) -> dict[str, Any]:
    """Return all fields of an entry with its digest, in the form of exports and the API."""
    return {**facts_of(entry), "digest": entry.digest}


def content_of(facts: Mapping[str, Any]) -> str:
    """Return the digest of the content of an entry, independent of its position."""
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def link(previous: str, content: str) -> str:
    """Return the digest of an entry with *content* after the digest *previous*."""
    return hashlib.sha256(f"{previous}\n{content}".encode()).hexdigest()
