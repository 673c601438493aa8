"""What one flavor-resource of a queue or cohort is made of, and the identities that it keeps."""

from __future__ import annotations

from dataclasses import dataclass

from console.engine.model.amounts import Amount, FlavorResource, Unlimited


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageView:
    """One flavor-resource of a queue; amounts in thousandths or UNLIMITED."""

    flavor: str
    resource: str
    #: What the queue owns; 0 when the active version no longer gives it any.
    nominal: Amount
    used: int
    #: What is used of its own quota.
    own: int
    #: What is used of the quota of others in the cohort.
    borrowed: int
    #: What is used beyond the nominal quota and borrowed from nobody: quota was
    #: taken away after admission.
    over: int
    #: What others in the cohort use of it, by the convention of the `lending` of the discipline.
    lent: int
    #: Whether *borrowed* and *lent* could be attributed in no other way.
    is_certain: bool
    #: What may still be used now, of its own quota and of the cohort's.
    available: Amount
    #: What may be used at most, when nobody else uses anything.
    limit: Amount
    #: What may be borrowed and lent by the config; UNLIMITED when it does not say.
    borrowing_limit: Amount
    lending_limit: Amount
    #: What pending workloads of the queue that could run ask for of the resource, whichever
    #: flavor they may get: shown once for each group, at its first flavor.
    demand: int
    #: The same of those that can never run under the active config.
    cannot_run_demand: int

    @property
    def key(self) -> FlavorResource:
        """What the quota is counted on."""
        return self.flavor, self.resource

    @property
    def unused(self) -> Amount:
        """What neither it nor others use of its own quota."""
        return self.nominal - self.own - self.lent

    @property
    def pressure(self) -> float:
        """
        How much is used and wanted for each unit that is within reach; from 0.

        Within reach is what is used and what may still be used. It is 2 where nothing is
        within reach and something is wanted, and 0 where there is no limit.
        """
        if isinstance(self.available, Unlimited):
            return 0.0
        within = self.nominal if self.limit == self.nominal else self.used + self.available
        wanted = self.used + self.demand
        if isinstance(within, Unlimited):
            return 0.0
        return wanted / within if within else 2.0 if wanted else 0.0

    @property
    def is_sound(self) -> bool:
        """
        Whether the numbers keep the identities of quota.

        What the ledger counted as used is what the accounts say of it: own, borrowed and
        over. Who borrows lends nothing, own and lent are within the nominal quota, and
        nothing is beyond it while some of it is unused.
        """
        asked = (self.demand, self.cannot_run_demand)
        parts = (self.own, self.borrowed, self.over, self.lent, *asked)
        beyond = self.borrowed + self.over
        return (
            min(parts) >= 0
            and self.used == self.own + beyond
            and not (self.borrowed and self.lent)
            and self.own + self.lent <= self.nominal
            and not (beyond and self.own < self.nominal)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolView(UsageView):
    """
    One flavor-resource of a cohort: the quota that its queues and cohorts share.

    *nominal* is the whole pool, *used* what is used of it. Quota that a lending
    limit keeps at home, and what is used of that, is not part of it. *borrowed*
    and *lent* are from and to cohorts above; *demand* and *cannot_run_demand* are those of
    all queues below.
    """

    #: What the cohort brings itself, and what its queues and cohorts put in.
    owned: Amount
    deposited: Amount
