"""The capacity node: what a queue, or what contains queues, has and uses of one flavor-resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from console.engine.model.amounts import UNLIMITED, Amount, FlavorResource, Unlimited


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityNode:
    """
    One flavor-resource of one node of a policy, in the words that all disciplines share.

    Amounts are thousandths or UNLIMITED. What only some disciplines know is in *extras*. Some
    extras have a meaning for every reader, and a property that says what their absence means.
    """

    #: What the node is: a queue, a cohort, or whatever else the discipline arranges them in.
    kind: str
    #: Names from the root of its tree down to its own; empty for the whole organization.
    path: tuple[str, ...]
    flavor: str
    resource: str
    #: What the node may always use; 0 when the active version no longer gives it any.
    guaranteed: Amount
    #: What it may use at most, when no other queue uses anything.
    limit: Amount
    used: int
    #: What it may use at this moment, with all that others use. Below *used* when it has to shrink.
    entitled: Amount
    #: What pending workloads that could run request of the resource, whichever flavor they may
    #: get: shown once for each group of flavors, at its first one.
    demand: int
    #: The same of those that can never run under the active config.
    cannot_run_demand: int
    #: What the discipline knows besides, by its own names: amounts, and facts that hold or not.
    extras: Mapping[str, Amount | bool] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the node; empty for the whole organization."""
        return self.path[-1] if self.path else ""

    @property
    def key(self) -> FlavorResource:
        """The flavor and the resource, which amounts are counted by."""
        return self.flavor, self.resource

    @property
    def available(self) -> Amount:
        """How much more may be used now."""
        left = self.entitled - self.used
        return left if left > 0 else 0

    @property
    def own(self) -> int:
        """The part of *used* that is guaranteed: all that can be, unless the extras say less."""
        return self._part("own", min(self.used, self.guaranteed))

    @property
    def borrowed(self) -> int:
        """The part of *used* that is guaranteed to others."""
        return self._part("borrowed")

    @property
    def over(self) -> int:
        """The part of *used* that is neither guaranteed nor borrowed: the guarantee shrank."""
        return self._part("over", self.used - self.own - self.borrowed)

    @property
    def lent(self) -> int:
        """The part of *guaranteed* that others use."""
        return self._part("lent")

    @property
    def is_certain(self) -> bool:
        """Whether *borrowed* and *lent* could be attributed in no other way."""
        return bool(self.extras.get("is_certain", True))

    def amount(self, key: str) -> Amount:
        """Return the amount among the extras that is named *key*; UNLIMITED without one."""
        return self.extras.get(key, UNLIMITED)

    @property
    def pressure(self) -> float:
        """
        How much is used and requested for each unit that is within reach; from 0.

        Within reach is what is used and what may still be used. It is 2 where nothing is
        within reach and something is requested, and 0 where there is no limit.
        """
        available = self.available
        if isinstance(available, Unlimited):
            return 0.0
        within = self.guaranteed if self.limit == self.guaranteed else self.used + available
        asked = self.used + self.demand
        if isinstance(within, Unlimited):
            return 0.0
        return asked / within if within else 2.0 if asked else 0.0

    @property
    def is_sound(self) -> bool:
        """
        Whether the amounts keep the identities that every discipline owes its readers.

        What is used is own, borrowed and over together. A borrower lends nothing, own and lent
        are within the guarantee, and nothing is beyond it while some of it is unused.
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
        """Return an extra that is a part of what is used or lent, and so finite."""
        found = self.extras.get(key, otherwise)
        assert isinstance(found, int), f"{key} is finite"
        return found
