"""Protocols of a discipline's ledger: the quota and usage of queues."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Protocol, TypeVar

from console.engine.model.amounts import Amount, FlavorResource, Usage
from console.engine.model.policy import Policy, Queue


class Account(Protocol):
    """The quota and usage of one queue, in thousandths, and its position in a tree."""

    name: str
    #: Names of the parents, the nearest first.
    path: tuple[str, ...]

    @property
    def root(self) -> Account:
        """The root of its tree; the same for all queues that share capacity."""

    @property
    def usage(self) -> Mapping[FlavorResource, int]:
        """The used amounts, without zeros."""

    def flavor_resources(self) -> Iterable[FlavorResource]:
        """Return every flavor-resource that has a quota or was queried."""

    def guaranteed(self, key: FlavorResource) -> Amount:
        """Return the guaranteed amount."""

    def used(self, key: FlavorResource) -> int:
        """Return the used amount."""

    def over(self, key: FlavorResource) -> int:
        """Return the usage above the guarantees of the queue and of what is below it."""

    def available(self, key: FlavorResource) -> Amount:
        """Return the amount that may still be used now; negative above the limits."""

    def limit(self, key: FlavorResource) -> Amount:
        """Return the most that could be used if nothing ran anywhere."""


class QueueLedger(Protocol):
    """The accounts of all queues of one policy, charged with the usage of running workloads."""

    def queue(self, name: str) -> Any:
        """Return the account of a queue, even if the policy no longer has the queue."""

    def queues_around(self, name: str) -> list[str]:
        """Return the names of all queues in the tree of queue *name*, in the order of the text."""

    def add(self, queue: str, usage: Usage) -> None:
        """Charge *usage* to a queue."""

    def remove(self, queue: str, usage: Usage) -> None:
        """Release what `add` charged."""

    def copy(self, root: Any) -> QueueLedger:
        """Return an independent copy of the tree of *root* with its usage."""

    def adapt(self, before: Policy, after: Policy, queues: Collection[str]) -> None:
        """
        Apply the differences of two policies to the tree of *queues*, without changing usage.

        Both policies have the same queues in the same trees.
        """


#: The account class of a discipline.
AccountT = TypeVar("AccountT", bound=Account)

#: The queue class of a discipline's spec.
QueueT = TypeVar("QueueT", bound=Queue)
