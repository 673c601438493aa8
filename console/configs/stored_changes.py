"""The stored form of the changes of a version: one row per object, with details as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from console.configs.models import ConfigVersion, VersionChange
from console.engine.diff import (
    Change,
    ChangeKind,
    Detail,
    FieldChange,
    Followed,
    Limit,
    OrderChange,
    QuotaChange,
)
from console.engine.model.amounts import Amount, decode_amount, encode_amount


def store_changes(version: ConfigVersion, changes: Iterable[Change]) -> None:
    """Store *changes*, the differences between *version* and the previously active version."""
    VersionChange.objects.bulk_create(
        (
            VersionChange(
                org_id=version.org_id,
                version=version.number,
                kind=change.kind.value,
                noun=change.noun,
                name=change.name,
                old_name=change.old_name,
                details=[encode_detail(detail) for detail in change.details],
            )
            for change in changes
        ),
        batch_size=500,
    )


def load_change(row: VersionChange) -> Change:
    """Return the stored change, without its origins in the texts."""
    return Change(
        kind=ChangeKind(row.kind),
        noun=row.noun,
        name=row.name,
        old_name=row.old_name,
        details=tuple(decode_detail(stored) for stored in row.details),
    )


def encode_detail(detail: Detail) -> dict[str, Any]:
    """
    Return *detail* in the stored form; amounts are thousandths or the word ``unlimited``.

    >>> encode_detail(FieldChange(path=("strategy",), old="a", new="b"))
    {'type': 'field', 'path': ['strategy'], 'from': 'a', 'to': 'b'}
    """
    match detail:
        case FieldChange():
            path = list(detail.path)
            return {"type": "field", "path": path, "from": detail.old, "to": detail.new}
        case QuotaChange():
            return {
                "type": "quota",
                "flavor": detail.flavor,
                "resource": detail.resource,
                "limit": detail.limit.value,
                "from": _amount(detail.old),
                "to": _amount(detail.new),
            }
        case OrderChange():
            return {
                "type": "order",
                "resources": list(detail.resources),
                "from": list(detail.old),
                "to": list(detail.new),
            }
        case Followed():
            return {"type": "followed", "noun": detail.noun, "name": detail.name}


def decode_detail(stored: Mapping[str, Any]) -> Detail:
    """Return the detail that `encode_detail` encoded; raises ValueError for an unknown type."""
    match stored["type"]:
        case "field":
            return FieldChange(path=tuple(stored["path"]), old=stored["from"], new=stored["to"])
        case "quota":
            return QuotaChange(
                flavor=stored["flavor"],
                resource=stored["resource"],
                limit=Limit(stored["limit"]),
                old=None if stored["from"] is None else decode_amount(stored["from"]),
                new=None if stored["to"] is None else decode_amount(stored["to"]),
            )
        case "order":
            return OrderChange(
                resources=tuple(stored["resources"]),
                old=tuple(stored["from"]),
                new=tuple(stored["to"]),
            )
        case "followed":
            return Followed(noun=stored["noun"], name=stored["name"])
    raise ValueError(f"no detail is stored as {stored['type']!r}")


def _amount(amount: Amount | None) -> int | str | None:
    return None if amount is None else encode_amount(amount)
