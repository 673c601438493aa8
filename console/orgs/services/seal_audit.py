"""Seal audit entries: give each that was committed its place in the chain, once."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Exists, OuterRef

from console.bulk import update_rows
from console.orgs.chain import content_of, facts_of, link
from console.orgs.models import AuditChain, AuditEntry, Organization

#: Entries of one transaction, so that other writers need not wait long.
BATCH = 500

#: Entries of one organization that one call seals: what is more waits for the next.
_MOST = 5_000


def seal_audit() -> int:
    """
    Seal what waits, in every organization, and return how many entries that were.

    Two at once come one after the other, each with what the other left.
    """
    # One look into an index for each organization, however many entries they have.
    waiting = Exists(AuditEntry.objects.filter(org=OuterRef("pk"), number=None))
    sealed = 0
    for org_id in sorted(Organization.objects.filter(waiting).values_list("pk", flat=True)):
        AuditChain.objects.get_or_create(org_id=org_id)
        for _ in range(_MOST // BATCH):
            count = _seal_some(org_id)
            sealed += count
            if count < BATCH:
                break
    return sealed


def _seal_some(org_id: int) -> int:
    with transaction.atomic():
        chain = AuditChain.objects.select_for_update().get(pk=org_id)
        # Read after the lock: what another one sealed in between is not among them.
        entries = AuditEntry.objects.filter(org_id=org_id, number=None).order_by("pk")[:BATCH]
        rows = []
        for entry in entries:
            entry.number = chain.number = chain.number + 1
            chain.digest = link(chain.digest, content_of(facts_of(entry)))
            rows.append((entry.pk, chain.number, chain.digest))
        if rows:
            update_rows(AuditEntry, ("id", "number", "digest"), rows).run()
            chain.save(update_fields=["number", "digest"])
    return len(rows)
