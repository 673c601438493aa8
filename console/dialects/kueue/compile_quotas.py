"""Compiles resource groups to quotas of flavor-resources."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from console.dialects.findings import Place
from console.dialects.kueue.schema import GroupDoc, QuotaDoc, ResourceDoc
from console.dialects.quantity import Quantity, amount_of_quantity
from console.dialects.written import Read, Written, value_of, written_items
from console.engine.disciplines.quota.spec import FlavorQuotas, Quota, ResourceGroup
from console.engine.model.amounts import UNLIMITED, Amount
from console.engine.model.origin import Origin


class QuotaCompiler:
    """Compiles the resource groups of queues and cohorts without errors."""

    def __init__(self, origin: Callable[[Place], Origin]) -> None:
        self._origin = origin

    def groups(self, groups: Iterable[GroupDoc]) -> tuple[ResourceGroup, ...]:
        """Return the resource groups of one queue or cohort."""
        return tuple(
            ResourceGroup(
                resources=tuple(resource.value for resource in written_items(group.covered)),
                flavors=tuple(self._flavor(quota) for quota in group.quotas()),
                origin=self._origin(group.place),
            )
            for group in groups
        )

    def _flavor(self, quota: QuotaDoc) -> FlavorQuotas:
        return FlavorQuotas(
            flavor=value_of(quota.name) or "",
            quotas={
                name: self._quota(resource, name)
                for resource in quota.each()
                if (name := value_of(resource.name)) is not None
            },
            origin=self._origin(quota.place),
        )

    def _quota(self, resource: ResourceDoc, name: str) -> Quota:
        return Quota(
            nominal=_amount(resource.nominal, name, 0),
            borrowing_limit=_amount(resource.borrowing, name, UNLIMITED),
            lending_limit=_amount(resource.lending, name, UNLIMITED),
            origin=self._origin(resource.place),
        )


def _amount(quantity: Read[Quantity], resource: str, absent: Amount) -> Amount:
    return amount_of_quantity(quantity.value, resource) if isinstance(quantity, Written) else absent
