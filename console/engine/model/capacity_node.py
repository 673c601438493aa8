"""Capacity node: quota and usage of one flavor-resource in one queue or parent of queues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from console.engine.model.amounts import UNLIMITED, Amount, FlavorResource, Unlimited


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityNode:
    """
    One flavor-resource of one node of a policy, in the terms that all disciplines share.

    Amounts are thousandths or UNLIMITED. *extras* holds the values of single disciplines. The
    extras that every reader may use have a property here, which also defines their default.
    """

    #: The kind of the node: a queue, a cohort, or another parent that the discipline defines.
    kind: str
    #: Names from the root of the tree to the node; empty for the whole organization.
    path: tuple[str, ...]
    flavor: str
    resource: str
    #: The amount that the node may always use; 0 when the active version gives it none.
    guaranteed: Amount
    #: The most that the node may use, when no other queue uses anything.
    limit: Amount
    used: int
    #: The most that the node may use now, given the usage of others. Below *used* when the node
    #: has to release some.
    entitled: Amount
    #: The requests for the resource of pending workloads that could run, whichever flavor they
    #: get: shown once for each group of flavors, at the first flavor.
    demand: int
    #: The same for workloads that can never run under the active config.
    cannot_run_demand: int
    #: Further values of the discipline, under its own names: amounts and flags.
    extras: Mapping[str, Amount | bool] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the node; empty for the whole organization."""
        return self.path[-1] if self.path else ""

    @property
    def key(self) -> FlavorResource:
        """The flavor-resource."""
        return self.flavor, self.resource

    @property
    def available(self) -> Amount:
        """The amount that may still be used now."""
        left = self.entitled - self.used
        return left if left > 0 else 0

    @property
    def own(self) -> int:
        """The guaranteed part of *used*: as much as possible, unless the extras say less."""
        return self._part("own", min(self.used, self.guaranteed))

    @property
    def borrowed(self) -> int:
        """The part of *used* that is guaranteed to others."""
        return self._part("borrowed")

    @property
    def over(self) -> int:
        """The part of *used* that is neither guaranteed nor borrowed, after quota was reduced."""
        return self._part("over", self.used - self.own - self.borrowed)

    @property
    def lent(self) -> int:
        """The part of *guaranteed* that others use."""
        return self._part("lent")

    @property
    def is_certain(self) -> bool:
        """Whether *borrowed* and *lent* can be attributed in only one way."""
        return bool(self.extras.get("is_certain", True))

    def amount(self, key: str) -> Amount:
        """Return the amount *key* of the extras, or UNLIMITED if it is absent."""
        return self.extras.get(key, UNLIMITED)

    @property
    def pressure(self) -> float:
        """
        The ratio of used and requested capacity to reachable capacity; 0 or more.

        The reachable capacity is the guarantee of a node that cannot borrow; otherwise it is the
        sum of the used and the available capacity. The ratio is 2 where nothing is reachable and
        something is requested, and 0 where there is no limit.
        """
        available = self.available
        if isinstance(available, Unlimited):
            return 0.0
        reachable = self.guaranteed if self.limit == self.guaranteed else self.used + available
        requested = self.used + self.demand
        if isinstance(reachable, Unlimited):
            return 0.0
        return requested / reachable if reachable else 2.0 if requested else 0.0

    @property
    def is_consistent(self) -> bool:
        """
        Whether the amounts satisfy the invariants that hold for every discipline.

        *used* is the sum of *own*, *borrowed* and *over*. A borrower lends nothing, *own* and
        *lent* together are within the guarantee, and nothing is borrowed or over while a part of
        the guarantee is not used.
        """
        own, borrowed, over, lent = self.own, self.borrowed, self.over, self.lent
        beyond = borrowed + over
        return (
            min(own, borrowed, over, lent, self.demand, self.cannot_run_demand) >= 0
            and self.used == own + beyond
            and not (borrowed and lent)
            and own + lent <= self.guaranteed
            and not (beyond and own < self.guaranteed)
        )

    def _part(self, key: str, otherwise: Amount = 0) -> int:
        """Return the extra *key*, which is finite because it is a part of the usage or loans."""
        found = self.extras.get(key, otherwise)
        assert isinstance(found, int), f"{key} is finite"
        return found
