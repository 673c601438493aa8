"""Verify the chain of an organization's audit entries: none was changed, deleted or inserted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from console.orgs.chain import content_of, facts_of, link
from console.orgs.models import AuditChain, AuditEntry, Organization

#: Number of entries that one query reads.
_ROWS = 1000


class Break(Enum):
    """How a chain is broken."""

    #: The entry, or an entry before it, differs from the sealed one.
    CHANGED = auto()
    #: The entry is missing.
    MISSING = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """The result: entries from *first* to *last* are unchanged."""

    first: int
    last: int
    #: Digest of the last entry; stored elsewhere, it later proves that no entry before it was
    #: changed.
    digest: str
    #: Number of entries that are not sealed yet and cannot be verified.
    unsealed: int
    #: How the chain is broken after *last*; None if it is intact.
    broken: Break | None
    #: Digests by number, for the requested entries that were verified.
    digests: Mapping[int, str]


class NotAnExport(Exception):
    """A line that is not valid in an export of audit entries; *line* is its number."""

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line}")
        self.line = line


@dataclass(frozen=True, slots=True)
class _Sealed:
    """The fields of one entry that the chain needs."""

    number: int
    content: str
    digest: str


def verify_org(org: Organization, numbers: Collection[int] = ()) -> Verified:
    """Verify the stored entries of *org*, and return the digests of the entries *numbers*."""
    while True:
        chain = AuditChain.objects.filter(org=org).first() or AuditChain(org=org)
        found = _verify(chain.base_number, chain.base_digest, _of_rows(chain), numbers)
        if found.last == chain.number and found.digest != chain.digest:
            found = replace(found, broken=Break.CHANGED)
        elif found.broken is None and found.last < chain.number:
            found = replace(found, broken=Break.MISSING)
        moved = AuditChain.objects.filter(org=org, base_number__gt=chain.base_number)
        # These entries were deleted by retention during the read.
        if found.broken is None or not moved.exists():
            unsealed = AuditEntry.objects.filter(org=org, number=None).count()
            return replace(found, unsealed=unsealed)


def verify_lines(lines: Iterable[Any]) -> Verified:
    """
    Verify the lines of an export of all entries, in any order.

    The digest of the lowest number is trusted unless the number is 1, since earlier entries are
    not in the file. Raises NotAnExport.
    """
    sealed: dict[int, _Sealed] = {}
    unsealed = 0
    for place, line in enumerate(lines, start=1):
        facts = dict(line) if isinstance(line, Mapping) else {}
        digest, number = facts.pop("digest", None), facts.get("number")
        if not isinstance(digest, str) or not isinstance(number, int | None):
            raise NotAnExport(place)
        if number is None:
            unsealed += 1
        else:
            sealed[number] = _Sealed(number, content_of(facts), digest)
    in_order = [sealed[number] for number in sorted(sealed)]
    base_number, base_digest = 0, ""
    if in_order and in_order[0].number > 1:
        base_number, base_digest = in_order[0].number, in_order[0].digest
        in_order = in_order[1:]
    return replace(_verify(base_number, base_digest, in_order, ()), unsealed=unsealed)


def _verify(
    number: int, digest: str, entries: Iterable[_Sealed], numbers: Collection[int]
) -> Verified:
    """Verify *entries*, in order, after the entry with *number* and *digest*."""
    first, broken = number + 1, None
    digests = {number: digest} if number in numbers else {}
    for entry in entries:
        if entry.number != number + 1:
            broken = Break.MISSING
        elif link(digest, entry.content) != entry.digest:
            broken = Break.CHANGED
        if broken:
            break
        number, digest = entry.number, entry.digest
        if number in numbers:
            digests[number] = digest
    return Verified(
        first=first, last=number, digest=digest, unsealed=0, broken=broken, digests=digests
    )


def _of_rows(chain: AuditChain) -> Iterator[_Sealed]:
    """Yield the entries up to the end of *chain*, in order and in batches."""
    last = chain.base_number
    while True:
        rows = AuditEntry.objects.filter(
            org_id=chain.org_id, number__gt=last, number__lte=chain.number
        )
        some = list(rows.order_by("number")[:_ROWS])
        for entry in some:
            assert entry.number is not None, "the query selects numbered entries"
            last = entry.number
            yield _Sealed(entry.number, content_of(facts_of(entry)), entry.digest)
        if len(some) < _ROWS:
            return
