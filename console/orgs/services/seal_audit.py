"""Seal audit entries: give each that was committed its place in the chain, once."""

from __future__ import annotations

import time
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef

from console.bulk import update_rows
from console.chunks import chunks
from console.orgs.chain import content_of, facts_of, link
from console.orgs.models import AuditChain, AuditEntry, Organization

#: Entries of one transaction, so that other writers need not wait long.
BATCH = 500

#: Organizations of one transaction: mostly each has few entries, and there may be thousands.
ORGS = 100

#: Seconds after which a call leaves the rest to the next one: its worker has decisions to make.
_SLICE = 1.0


def seal_audit() -> int:
    """
    Seal what waits, in every organization, and return how many entries that were.

    Two at once come one after the other, each with what the other left.
    """
    # One look into an index for each organization, however many entries they have.
    waiting = Exists(AuditEntry.objects.filter(org=OuterRef("pk"), number=None))
    orgs = sorted(Organization.objects.filter(waiting).values_list("pk", flat=True))
    deadline = time.monotonic() + _SLICE
    sealed = 0
    for some in chunks(orgs, ORGS):
        _begin(some)
        count = BATCH
        while count == BATCH:
            if time.monotonic() > deadline:
                return sealed
            count = _seal_some(some)
            sealed += count
    return sealed


def _begin(orgs: Sequence[int]) -> None:
    """Begin the chains of those that have none."""
    begun = set(AuditChain.objects.filter(pk__in=orgs).values_list("pk", flat=True))
    new = [AuditChain(org_id=org_id) for org_id in orgs if org_id not in begun]
    AuditChain.objects.bulk_create(new, ignore_conflicts=True)


def _seal_some(orgs: Sequence[int]) -> int:
    with transaction.atomic():
        locked = AuditChain.objects.select_for_update().filter(pk__in=orgs).order_by("pk")
        chains = {chain.pk: chain for chain in locked}
        # Read after the lock: what another one sealed in between is not among them.
        waiting = AuditEntry.objects.filter(org_id__in=orgs, number=None)
        # One organization after the other, as their index has them.
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
