"""The read model of a discipline: the values and interfaces through which people see capacity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias

from console.engine.model.amounts import WEIGHT_ONE, FlavorResource
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.policy import Policy

#: What each queue uses, in thousandths, by flavor-resource.
Used: TypeAlias = Mapping[str, Mapping[FlavorResource, int]]

#: What pending workloads request, in thousandths, by resource.
Requests: TypeAlias = Mapping[str, int]

NO_REQUESTS: Final[Requests] = MappingProxyType({})


class Unit(StrEnum):
    """How a column writes the capacity node of its row."""

    #: The amount that its key names, a field or an extra, as a quantity of the resource.
    AMOUNT = "amount"
    #: The demand, and beside it that of workloads that can never run.
    DEMAND = "demand"
    #: What is borrowed or what is lent, whichever there is.
    EXCHANGE = "exchange"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a table of capacity nodes."""

    #: The field of `CapacityNode`, or the extra, that it shows.
    key: str
    title: str
    #: A sentence that says what its amounts are.
    help: str
    unit: Unit = Unit.AMOUNT
    #: Whether it is shown of queues that have a parent, and of no others.
    needs_parent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the product that only some disciplines have; pages and the API know it by *key*."""

    key: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Loan:
    """What one queue uses of another's guaranteed capacity, or of a cohort's own."""

    flavor: str
    resource: str
    #: Name of a queue.
    borrower: str
    #: Name of a queue; of a cohort when *is_from_cohort*.
    lender: str
    is_from_cohort: bool
    #: The nearest cohort that contains both.
    cohort: str
    #: Thousandths, above 0.
    amount: int
    #: Whether this is the only attribution that adds up.
    is_certain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FairShare:
    """The share of what its parent can lend that a node has borrowed, divided by its weight."""

    #: Rounded up; None: unbounded, for it borrows with a weight of zero.
    thousandths: int | None = 0
    #: In billionths.
    weight: int = WEIGHT_ONE
    #: The resource of which it borrows the largest share; None when nothing is borrowed.
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

    A cohort is whatever contains queues, by any name that a language has for it.
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
        """Yield everything below *cohort*, each cohort before its members."""

    def queues_below(self, cohort: str) -> tuple[str, ...]:
        """Return the queues of *cohort* and of all cohorts in it."""

    def around(self, queue: str) -> tuple[str, ...]:
        """Return the queues in the tree of *queue*, itself included; raises KeyError if unknown."""


class Capacity(Protocol):
    """
    The capacity of everything in a policy with what is used of it.

    Nodes are computed when they are asked for, and those of a queue or cohort that were asked for
    last are kept: of a thousand queues a page shows one. Several threads may ask at once.
    """

    @property
    def policy(self) -> Policy:
        """The policy that gives the capacity."""

    @property
    def used(self) -> Used:
        """What is used; it must not be changed."""

    @property
    def tree(self) -> CapacityTree:
        """The trees of its queues."""

    @property
    def loans(self) -> tuple[Loan, ...]:
        """Who uses whose capacity; empty where queues share nothing."""

    def share(self, name: str, *, is_cohort: bool = False) -> FairShare | None:
        """Return the fair share of a queue or cohort; None where shares decide nothing."""

    def keys(self, queue: str) -> tuple[FlavorResource, ...]:
        """Return what the policy gives *queue* capacity of, in the order of the text."""

    def queue_nodes(
        self, queue: str, requested: Requests, cannot_run: Requests = NO_REQUESTS
    ) -> tuple[CapacityNode, ...]:
        """
        Return a node for each flavor-resource of *queue* in the order of the text.

        Its pending workloads request *requested*, and those that can never run *cannot_run*.
        Then those that only running workloads of an earlier version still use; they are all there
        is of a queue that the policy does not have.
        """

    def cohort_nodes(
        self, cohort: str, queues: Mapping[str, Iterable[CapacityNode]]
    ) -> tuple[CapacityNode, ...]:
        """Return the nodes of *cohort*; *queues* has those of every queue below it."""
