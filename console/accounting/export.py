"""Resource-time as rows of a file, one for each value and resource."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from console.accounting.amounts import in_seconds
from console.accounting.queries.accounts import Accounts

EXPORTED: Final = ("value", "resource", "used_seconds", "share", "quota_seconds")


def exported_rows(found: Accounts) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file, the largest consumer first."""
    for used in found.values:
        for name, amount in used.amounts.items():
            quota = used.quota.get(name)
            yield {
                "value": used.value,
                "resource": name,
                "used_seconds": in_seconds(amount),
                "share": found.share(used, name),
                "quota_seconds": in_seconds(quota) if isinstance(quota, int) else None,
            }
