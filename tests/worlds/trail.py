"""A long audit trail: a month of sealed entries of the hash chain."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.utils import timezone

from console.bulk import insert_rows
from console.orgs.chain import content_of, facts_of, link
from console.orgs.models import AuditChain, AuditEntry
from console.orgs.permissions import Actor
from console.orgs.services.seal_audit import seal_audit

ENTRIES: Final = 100_000

_MINUTES: Final = 0.4

#: Audited actions as (action, kind, format of the subject), used in turn.
_DONE: Final = (
    ("workload.submit", "workload", "{n:020x}"),
    ("workload.finish", "workload", "{n:020x}"),
    ("queue.hold", "queue", "team-{queue}"),
    ("queue.resume", "queue", "team-{queue}"),
    ("session.sign_in", "account", "person-{queue:03}@large.example"),
)

_COLUMNS: Final = (
    *("id", "org_id", "action", "kind", "subject", "actor", "actor_key", "before", "after"),
    *("ip", "agent", "request_id", "created_at", "number", "digest"),
)


def fill_audit_trail(owner: Actor) -> None:
    """Write and seal `ENTRIES` audit entries of many actors; the last one lies in the past."""
    while seal_audit():
        pass
    chain = AuditChain.objects.get(org=owner.org)
    key = AuditEntry.objects.latest("pk").pk
    begin = timezone.now() - timedelta(minutes=ENTRIES * _MINUTES)
    rows = []
    for n in range(1, ENTRIES + 1):
        action, kind, subject = _DONE[n % len(_DONE)]
        entry = AuditEntry(
            pk=key + n,
            org_id=owner.org.pk,
            action=action,
            kind=kind,
            subject=subject.format(n=n, queue=n % 300),
            actor=f"person-{n % 300:03}@large.example",
            actor_key=f"user:{1_000 + n % 300}",
            after={"count": n % 9},
            ip="192.0.2.7",
            agent="Sluice test",
            request_id=f"{n:032x}",
            created_at=begin + timedelta(minutes=n * _MINUTES),
            number=chain.number + n,
        )
        chain.digest = entry.digest = link(chain.digest, content_of(facts_of(entry)))
        rows.append([getattr(entry, column) for column in _COLUMNS])
    chain.number += ENTRIES
    insert_rows(AuditEntry, _COLUMNS, rows).run()
    chain.save(update_fields=["number", "digest"])
