"""
The chain of an organization's audit entries: each digest covers its entry and the digest before.

An entry is sealed shortly after its transaction has committed, in one place after another, so
that requests which record something never wait for each other. Its content is the SHA-256 of
the entry as JSON, keys sorted, no spaces, nothing escaped that need not be; its digest is the
SHA-256 of the digest before (nothing for number 1), a line feed, and the content, both in
hexadecimal.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from console.moments import written
from console.orgs.models import AuditEntry

#: What an entry says and its digest, in the order of `sealed_facts_of`.
COLUMNS = (
    *("number", "id", "time", "action", "kind", "subject", "actor", "actor_key"),
    *("before", "after", "ip", "agent", "request_id", "digest"),
)


def facts_of(entry: AuditEntry) -> dict[str, Any]:
    """Return all that an entry says, without its digest: the same for exports, API and chain."""
    return {
        "number": entry.number,
        "id": entry.pk,
        "time": written(entry.created_at),
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
    """Return all that an entry says with its digest, as exports and the API have it."""
    return {**facts_of(entry), "digest": entry.digest}


def content_of(facts: Mapping[str, Any]) -> str:
    """Return the digest of what an entry says, wherever it stands."""
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def link(previous: str, content: str) -> str:
    """Return the digest of an entry with *content* that stands behind the digest *previous*."""
    return hashlib.sha256(f"{previous}\n{content}".encode()).hexdigest()
