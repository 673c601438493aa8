"""Resource groups of ClusterQueues and Cohorts, flavor by flavor (Kueue, spec 1.3, 1.4)."""

from __future__ import annotations

from typing import Final

from console.dialects.fields import Fields, Shape
from console.dialects.kueue.schema import GroupDoc, QuotaDoc, ResourceDoc
from console.dialects.kueue.values import check_weight, read_quantity
from console.dialects.lists import parse_each, parse_valid
from console.dialects.quantity import Quantity
from console.dialects.written import Read, Written

GROUP: Final = Shape("a resource group", ("coveredResources", "flavors"))
QUOTA: Final = Shape("a flavor of a resource group", ("name", "resources"))
RESOURCE: Final = Shape(
    "a resource of a flavor", ("name", "nominalQuota", "borrowingLimit", "lendingLimit")
)
FAIR_SHARING: Final = Shape("fair sharing", ("weight",))


def read_groups(spec: Fields) -> Read[tuple[GroupDoc, ...]]:
    """Read ``resourceGroups``."""
    return parse_valid(spec.mappings("resourceGroups", GROUP), _group)


def read_weight(spec: Fields) -> Read[Quantity]:
    """Read ``fairSharing.weight``."""
    sharing = spec.mapping("fairSharing", FAIR_SHARING)
    if not isinstance(sharing, Fields):
        return None
    weight = sharing.number("weight", read_quantity)
    check_weight(weight, spec.findings)
    return weight


def _group(fields: Fields) -> GroupDoc:
    return GroupDoc(
        place=fields.place,
        covered=fields.texts("coveredResources", required=True),
        flavors=parse_valid(fields.mappings("flavors", QUOTA, required=True), _quota),
    )


def _quota(fields: Fields) -> QuotaDoc:
    name = fields.text("name", required=True)
    resources = parse_each(fields.mappings("resources", RESOURCE, required=True), _resource)
    return QuotaDoc(
        place=fields.place,
        name=name,
        resources=resources.value if isinstance(resources, Written) else None,
    )


def _resource(fields: Fields) -> ResourceDoc:
    return ResourceDoc(
        place=fields.place,
        name=fields.text("name", required=True),
        nominal=fields.number("nominalQuota", read_quantity, required=True),
        borrowing=fields.number("borrowingLimit", read_quantity),
        lending=fields.number("lendingLimit", read_quantity),
    )
