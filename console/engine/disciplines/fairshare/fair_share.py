"""The fair shares of all queues: each queue divides its own among its children."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

from console.engine.disciplines.fairshare.division import Claims, divide
from console.engine.disciplines.fairshare.resources import (
    DIVISION_UNITS,
    NOTHING,
    Amounts,
    PerResource,
)
from console.engine.disciplines.fairshare.spec import FairQueue
from console.engine.disciplines.fairshare.tree import QueueTree
from console.engine.model.amounts import Amount, Unlimited

NO_USAGE: Final[PerResource[float]] = PerResource(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """How the fair share of a queue came about; all amounts in thousandths."""

    #: What the quota guarantees, as far as it is requested.
    guaranteed: Amounts
    #: The part of the surplus by priority and weight.
    surplus: Amounts
    #: What rounding left over: at most a unit of division.
    rounding: Amounts


@dataclass(frozen=True, slots=True, kw_only=True)
class FairShares:
    """The result of one computation."""

    #: The fair share of each member of the tree.
    shares: Mapping[str, Amounts]
    #: What the queues at the top could not use.
    remaining: Amounts
    #: By resource, the results by the number of the queue, in units of division.
    _claims: Sequence[Claims]
    _numbers: Mapping[str, int]

    def composition(self, queue: str) -> Composition:
        """Return the parts of the fair share of a member of the tree."""
        number = self._numbers[queue]
        guaranteed = _exact([each.guarantees[number] for each in self._claims])
        rounding = _exact([each.roundings[number] for each in self._claims])
        share = self.shares[queue]
        return Composition(
            guaranteed=guaranteed,
            surplus=PerResource(
                *(
                    whole - part - rest
                    for whole, part, rest in zip(share, guaranteed, rounding, strict=True)
                )
            ),
            rounding=rounding,
        )


class FairShareTree:
    """The claims of the queues of a policy, prepared for computations with different requests."""

    def __init__(self, tree: QueueTree[FairQueue]) -> None:
        self._names = tuple(tree.members)
        self._numbers = {name: number for number, name in enumerate(self._names)}
        queues = [tree.queues[name] for name in self._names]
        self._quotas = _columns([each.quota for each in queues])
        self._limits = _columns([each.limit for each in queues])
        self._weights = [[float(each.weight[place]) for each in queues] for place in range(3)]
        self._roots = _classes(tree, tree.roots, self._numbers)
        #: The siblings of each parent, parents before their children.
        self._groups = [
            (self._numbers[name], _classes(tree, tree.children(name), self._numbers))
            for name in self._names
            if tree.children(name)
        ]

    def compute(
        self,
        total: Amounts,
        requests: Mapping[str, Amounts],
        *,
        k_value: float,
        usage: Mapping[str, PerResource[float]] | None = None,
    ) -> FairShares:
        """
        Return the fair shares of *total*.

        *requests* has what running and pending workloads below each queue request; a missing
        queue requests nothing. *usage* has the part of the cluster that each queue has used in
        the past, from 0 to 1; None: it is unknown, and has no influence.
        """
        asked = [requests.get(name, NOTHING) for name in self._names]
        past = [usage.get(name, NO_USAGE) for name in self._names] if usage is not None else None
        count = len(asked)
        found, remaining = [], []
        for place in range(3):
            unit = DIVISION_UNITS[place]
            claims = Claims(
                quotas=self._quotas[place],
                weights=self._weights[place],
                requestable=[
                    min(each[place] / unit, limit)
                    for each, limit in zip(asked, self._limits[place], strict=True)
                ],
                usage=[each[place] for each in past] if past is not None else None,
                k_value=k_value,
                shares=[0.0] * count,
                guarantees=[0.0] * count,
                roundings=[0.0] * count,
            )
            remaining.append(divide(total[place] / unit, self._roots, claims))
            for parent, classes in self._groups:
                divide(claims.shares[parent], classes, claims)
            found.append(claims)
        columns = [
            [round(share * unit) for share in claims.shares]
            for claims, unit in zip(found, DIVISION_UNITS, strict=True)
        ]
        return FairShares(
            shares=dict(zip(self._names, map(PerResource, *columns), strict=True)),
            remaining=_exact(remaining),
            _claims=found,
            _numbers=self._numbers,
        )


def _classes(
    tree: QueueTree[FairQueue], siblings: Sequence[str], numbers: Mapping[str, int]
) -> list[list[int]]:
    """Return the numbers of *siblings* by descending priority, older queues first."""
    classes: dict[int, list[int]] = {}
    for name in sorted(
        siblings, key=lambda each: (-tree.queues[each].priority, tree.queues[each].created, each)
    ):
        classes.setdefault(tree.queues[name].priority, []).append(numbers[name])
    return list(classes.values())


def _columns(bounds: Sequence[PerResource[Amount]]) -> list[list[float]]:
    """Return the bounds by resource in units of division."""
    return [[_unit(each[place], DIVISION_UNITS[place]) for each in bounds] for place in range(3)]


def _unit(amount: Amount, unit: int) -> float:
    return inf if isinstance(amount, Unlimited) else amount / unit


def _exact(values: Sequence[float]) -> Amounts:
    """Return thousandths."""
    return PerResource(
        *(round(value * unit) for value, unit in zip(values, DIVISION_UNITS, strict=True))
    )
