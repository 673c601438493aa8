"""
Excess: quota that is used, or may be used at once, beyond what a new policy gives.

A change of policy stops no running workload. Where a queue will own less than it uses, and where
a queue drains under its old name beside the one that takes its place, more runs than the new
policy means until enough workloads have ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from console.engine.amounts import UNLIMITED, Amount
from console.engine.history import Live
from console.engine.ledger import FlavorResource
from console.engine.policy import Policy

#: What each of some running workloads holds, in thousandths, and how many there are.
Holding: TypeAlias = tuple[Mapping[FlavorResource, int], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Excess:
    """One flavor-resource of which more may be used than a queue will own, in thousandths."""

    #: The queue that owns *nominal* under the new policy.
    queue: str
    flavor: str
    resource: str
    #: What is used now: by the queue, or by *drained*.
    used: int
    nominal: int
    #: The most that may be used at once.
    peak: int
    #: Queues whose place the queue takes, and that drain beside it; empty: it has its name.
    drained: tuple[str, ...] = ()
    #: The fewest workloads that have to end until no more than *nominal* is used; None: not known.
    ends: int | None = None

    @property
    def key(self) -> FlavorResource:
        """What the quota is counted on."""
        return self.flavor, self.resource

    @property
    def over(self) -> int:
        """By how much the peak is more than the queue owns."""
        return self.peak - self.nominal

    @property
    def holders(self) -> tuple[str, ...]:
        """The queues whose workloads have to end."""
        return self.drained or (self.queue,)


def over_nominal(old: Policy, new: Policy, live: Live) -> tuple[Excess, ...]:
    """Return where queues of *new* use more than they will own, and owned more under *old*."""
    return tuple(
        Excess(
            queue=name,
            flavor=key[0],
            resource=key[1],
            used=used,
            nominal=nominal,
            peak=used,
        )
        for name, usage in live.usage.items()
        if name in new.queues
        for key, used in sorted(usage.items())
        # A queue that borrowed before and owns as much as before borrows on as before.
        if isinstance(nominal := nominal_of(new, name, key), int)
        and nominal < used
        and nominal_of(old, name, key) > nominal
    )


def beside_draining(
    successors: Mapping[str, str], new: Policy, live: Live, heirs: Mapping[str, str]
) -> tuple[Excess, ...]:
    """
    Return what queues of *new* and those that drain beside them may use together.

    *successors* are the queues that go and what takes their place. *heirs* are queues that drain
    already, each with the queue that has its place under the policy of now: they go on draining.
    """
    drained: dict[str, list[str]] = {}
    for name, successor in successors.items():
        before = [each for each, heir in heirs.items() if heir == name and each != successor]
        drained.setdefault(successor, []).extend([*before, name])
    return tuple(
        excess
        for successor, names in drained.items()
        for excess in _together(successor, names, new, live)
    )


def _together(successor: str, drained: list[str], new: Policy, live: Live) -> Iterable[Excess]:
    held: dict[FlavorResource, int] = {}
    for name in drained:
        for key, used in live.usage.get(name, {}).items():
            held[key] = held.get(key, 0) + used
    for key, used in sorted(held.items()):
        nominal = nominal_of(new, successor, key)
        if used and isinstance(nominal, int):
            own = live.usage.get(successor, {}).get(key, 0)
            yield Excess(
                queue=successor,
                flavor=key[0],
                resource=key[1],
                used=used,
                nominal=nominal,
                peak=used + max(nominal, own),
                drained=tuple(drained),
            )


def with_ends(
    excesses: Iterable[Excess], holdings: Mapping[str, Iterable[Holding]]
) -> tuple[Excess, ...]:
    """
    Return *excesses* with how many workloads have to end; *holdings* has what runs, by queue.

    Those that hold most end first in this count, so it is the least that can be.
    """
    return tuple(
        replace(
            each,
            ends=_fewest(
                each.over,
                [
                    (held.get(each.key, 0), count)
                    for name in each.holders
                    for held, count in holdings.get(name, ())
                ],
            ),
        )
        for each in excesses
    )


def _fewest(over: int, holds: list[tuple[int, int]]) -> int | None:
    """Return how many of the largest of *holds* are *over* together; None: all are too little."""
    found = 0
    for amount, count in sorted(holds, reverse=True):
        if over <= 0 or not amount:
            break
        taken = min(count, -(-over // amount))
        found += taken
        over -= taken * amount
    return found if over <= 0 else None


def nominal_of(policy: Policy, queue: str, key: FlavorResource) -> Amount:
    """Return what *queue* owns of a flavor-resource; unlimited where nothing limits it."""
    owner = policy.queues.get(queue)
    for group in owner.groups if owner else ():
        for quotas in group.flavors:
            if quotas.flavor == key[0] and key[1] in quotas.quotas:
                return quotas.quotas[key[1]].nominal
    return UNLIMITED
