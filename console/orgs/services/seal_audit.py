"""Seal audit entries: append each committed entry to the chain of its organization."""

from __future__ import annotations

import time
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef

from console.bulk import update_rows
from console.chunks import chunks
from console.orgs.chain import content_of, facts_of, link
from console.orgs.models import AuditChain, AuditEntry, Organization

#: Maximum number of entries of one transaction, so that other writers do not wait long.
BATCH = 500

#: Maximum number of organizations of one transaction: there can be thousands, mostly with few
#: entries.
ORGS = 100

#: Seconds after which a call ends and leaves the rest to the next call, so that the worker is free
#: for admission.
_SLICE = 1.0


def seal_audit() -> int:
    """
    Seal the waiting entries of all organizations, and return their number.

    Concurrent calls are serialized; each seals the entries that the other has left.
    """
    # One index look-up for each organization, independent of the number of entries.
    waiting = Exists(AuditEntry.objects.filter(org=OuterRef("pk"), number=None))
    orgs = sorted(Organization.objects.filter(waiting).values_list("pk", flat=True))
    deadline = time.monotonic() + _SLICE
    sealed = 0
    for some in chunks(orgs, ORGS):
        _create_chains(some)
        count = BATCH
        while count == BATCH:
            if time.monotonic() > deadline:
                return sealed
            count = _seal_some(some)
            sealed += count
    return sealed


def _create_chains(orgs: Sequence[int]) -> None:
    """Create missing chains."""
    begun = set(AuditChain.objects.filter(pk__in=orgs).values_list("pk", flat=True))
    new = [AuditChain(org_id=org_id) for org_id in orgs if org_id not in begun]
    AuditChain.objects.bulk_create(new, ignore_conflicts=True)


def _seal_some(orgs: Sequence[int]) -> int:
    with transaction.atomic():
        locked = AuditChain.objects.select_for_update().filter(pk__in=orgs).order_by("pk")
        chains = {chain.pk: chain for chain in locked}
        # Read after the lock, so that entries sealed by another call are excluded.
        waiting = AuditEntry.objects.filter(org_id__in=orgs, number=None)
        # Ordered by organization, as in the index.
        entries = waiting.order_by("org_id", "pk")[:BATCH]
        rows, changed = [], {}
        for entry in entries:
            chain = changed[entry.org_id] = chains[entry.org_id]
            entry.number = chain.number = chain.number + 1
            chain.digest = link(chain.digest, content_of(facts_of(entry)))
            rows.append((entry.pk, chain.number, chain.digest))
        ends = [(key, chain.number, chain.digest) for key, chain in changed.items()]
        update_rows(AuditEntry, ("id", "number", "digest"), rows).run()
        update_rows(AuditChain, ("org", "number", "digest"), ends).run()
    return len(rows)
