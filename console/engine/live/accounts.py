"""Accounts: what the live state asks of the ledger that a discipline keeps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Protocol, TypeVar

from console.engine.model.amounts import Amount, FlavorResource, Usage
from console.engine.model.policy import Policy, Queue


class Account(Protocol):
    """What one queue is guaranteed, may use and uses, in thousandths, and its place in a tree."""

    name: str
    #: Names of the nodes above, the nearest first.
    path: tuple[str, ...]

    @property
    def root(self) -> Account:
        """The top of its tree; the same for all queues that share capacity."""

    @property
    def usage(self) -> Mapping[FlavorResource, int]:
        """What is used, without zeros."""

    def opened(self) -> Iterable[FlavorResource]:
        """Return every flavor-resource that has a quota or has been asked for."""

    def guaranteed(self, key: FlavorResource) -> Amount:
        """Return what is its own."""

    def used(self, key: FlavorResource) -> int:
        """Return what is used."""

    def over(self, key: FlavorResource) -> int:
        """Return what is used beyond its own and what is below it."""

    def available(self, key: FlavorResource) -> Amount:
        """Return how much more may be used now; negative when more is used than may be."""

    def limit(self, key: FlavorResource) -> Amount:
        """Return what could be used if nothing ran anywhere."""


class QueueLedger(Protocol):
    """The accounts of all queues of one policy, charged with what running workloads hold."""

    def queue(self, name: str) -> Any:
        """Return the account of a queue, also of one that the policy no longer has."""

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
        Apply what differs between two policies to the tree of *queues*; usage stays.

        Both policies have the same queues in the same trees.
        """


#: The account that a discipline gives its queues.
AccountT = TypeVar("AccountT", bound=Account)

#: The queue as the spec of a discipline describes it.
QueueT = TypeVar("QueueT", bound=Queue)
