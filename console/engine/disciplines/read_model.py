"""The read model of a discipline: types of capacity, loans and shares for pages and the API."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias

from console.engine.model.amounts import WEIGHT_ONE, FlavorResource
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.policy import Policy

#: Usage of each queue, in thousandths, by flavor-resource.
Used: TypeAlias = Mapping[str, Mapping[FlavorResource, int]]

#: Requests of pending workloads, in thousandths, by resource.
Requests: TypeAlias = Mapping[str, int]

NO_REQUESTS: Final[Requests] = MappingProxyType({})


class Unit(StrEnum):
    """How a column formats the capacity node of its row."""

    #: The amount that the column's key names, a field or an extra, as a quantity of the resource.
    AMOUNT = "amount"
    #: The demand, and next to it the demand of workloads that can never run.
    DEMAND = "demand"
    #: The borrowed or the lent amount, whichever is not zero.
    EXCHANGE = "exchange"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a table of capacity nodes."""

    #: The field or extra of `CapacityNode` that the column shows.
    key: str
    title: str
    #: A sentence that describes the amounts.
    help: str
    unit: Unit = Unit.AMOUNT
    #: Whether the column is shown only for queues that have a parent.
    needs_parent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityWording:
    """The words of pages about the capacity nodes of a discipline."""

    #: Title of the table of a queue's nodes.
    title: str
    #: What the flavor of a node is called.
    flavor: str
    #: A paragraph that explains the columns.
    note: str
    #: A sentence for an organization without nodes.
    nothing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the product that only some disciplines have; *key* is its name in the API."""

    key: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Loan:
    """Usage by one queue of the guaranteed capacity of another queue, or of a cohort."""

    flavor: str
    resource: str
    #: Name of a queue.
    borrower: str
    #: Name of a queue; of a cohort when *is_from_cohort*.
    lender: str
    is_from_cohort: bool
    #: The nearest cohort that contains borrower and lender.
    cohort: str
    #: Thousandths, above 0.
    amount: int
    #: Whether no other attribution of the borrowed amounts is possible.
    is_certain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FairShare:
    """The borrowed share of what the parent of a node can lend, divided by the node's weight."""

    #: Rounded up; None: unbounded, because the node borrows with a weight of zero.
    thousandths: int | None = 0
    #: In billionths.
    weight: int = WEIGHT_ONE
    #: The resource with the largest borrowed share; None when nothing is borrowed.
    resource: str | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """A queue or cohort somewhere below a cohort."""

    name: str
    is_cohort: bool
    #: The cohort that contains it directly.
    parent: str
    #: 1 for direct members of the cohort.
    depth: int


class CapacityTree(Protocol):
    """
    The queues of a policy and the cohorts that contain them, in the order of the text.

    A cohort is any object that contains queues, whatever the config language calls it.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """All cohorts."""

    @property
    def roots(self) -> tuple[str, ...]:
        """Cohorts without a parent."""

    def queues(self, cohort: str) -> tuple[str, ...]:
        """Return the queues directly in *cohort*."""

    def cohorts(self, cohort: str) -> tuple[str, ...]:
        """Return the cohorts directly in *cohort*."""

    def path(self, cohort: str) -> tuple[str, ...]:
        """Return the cohorts around *cohort*, the root first; empty for a root."""

    def below(self, cohort: str) -> Iterator[Member]:
        """Yield all queues and cohorts below *cohort*, each cohort before its members."""

    def queues_below(self, cohort: str) -> tuple[str, ...]:
        """Return the queues of *cohort* and of all cohorts in it."""

    def around(self, queue: str) -> tuple[str, ...]:
        """Return the queues in the tree of *queue*, itself included; raises KeyError if unknown."""


class Capacity(Protocol):
    """
    The capacity and usage of all queues and cohorts of a policy.

    Nodes are computed on request, because a page shows one of a thousand queues; the latest
    nodes of each queue and cohort are cached. Thread-safe.
    """

    @property
    def policy(self) -> Policy:
        """The policy that defines the capacity."""

    @property
    def used(self) -> Used:
        """The usage; it must not be changed."""

    @property
    def tree(self) -> CapacityTree:
        """The trees of its queues."""

    @property
    def loans(self) -> tuple[Loan, ...]:
        """The loans between queues; empty if queues share no capacity."""

    def share(self, name: str, *, is_cohort: bool = False) -> FairShare | None:
        """Return the fair share of a queue or cohort; None without fair sharing."""

    def keys(self, queue: str) -> tuple[FlavorResource, ...]:
        """Return the flavor-resources of *queue* in the policy, in the order of the text."""

    def queue_nodes(
        self, queue: str, requested: Requests, cannot_run: Requests = NO_REQUESTS
    ) -> tuple[CapacityNode, ...]:
        """
        Return a node for each flavor-resource of *queue* in the order of the text.

        Its pending workloads request *requested*, and those that can never run *cannot_run*.
        Nodes follow for flavor-resources that only running workloads of an earlier version
        still use; a queue that the policy does not have has only these.
        """

    def cohort_nodes(
        self, cohort: str, queues: Mapping[str, Iterable[CapacityNode]]
    ) -> tuple[CapacityNode, ...]:
        """Return the nodes of *cohort*; *queues* has those of every queue below it."""
