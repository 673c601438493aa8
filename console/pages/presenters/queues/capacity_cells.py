"""Capacity table of a queue: the columns of its discipline, and their cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from console.engine.disciplines import load_discipline
from console.engine.disciplines.read_model import Column, Unit
from console.engine.model.amounts import Amount
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.policy import Policy
from console.engine.wording.words import quantity
from console.pages.presenters.quota_bars.quota_bar import up_to
from console.workloads.queries import QueueView

#: Column keys that are fields of every capacity node; any other key is an extra amount.
_FIELDS = frozenset({"guaranteed", "limit", "used", "entitled", "available"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityCell:
    """One cell: its text, and a note in small print below it."""

    #: Title of the column, for narrow screens.
    label: str
    text: str
    rest: str = ""


def columns_of(view: QueueView, policy: Policy) -> tuple[Column, ...]:
    """Return the columns of the discipline of *policy* for the queue of *view*."""
    columns = load_discipline(policy.discipline).columns()
    return tuple(each for each in columns if view.cohort or not each.needs_parent)


def cells_of(node: CapacityNode, columns: Iterable[Column]) -> tuple[CapacityCell, ...]:
    """Return the cells of *node* in *columns*."""
    return tuple(_cell(node, column) for column in columns)


def _cell(node: CapacityNode, column: Column) -> CapacityCell:
    label = column.title.lower()
    match column.unit:
        case Unit.EXCHANGE:
            return CapacityCell(label=label, text=_borrowed_or_lent(node))
        case Unit.DEMAND:
            never = quantity(node.cannot_run_demand, node.resource)
            return CapacityCell(
                label=label,
                text=quantity(node.demand, node.resource) if node.demand else "—",
                rest=f"{never} can never run" if node.cannot_run_demand else "",
            )
        case Unit.AMOUNT:
            return CapacityCell(label=label, text=quantity(_amount(node, column), node.resource))


def _amount(node: CapacityNode, column: Column) -> Amount:
    if column.key in _FIELDS:
        found: Amount = getattr(node, column.key)
        return found
    return node.amount(column.key)


def _borrowed_or_lent(node: CapacityNode) -> str:
    """Return the text of borrowed or lent quota; a queue never does both at the same time."""
    if node.borrowed:
        return f"{quantity(node.borrowed, node.resource)} borrowed"
    if node.lent:
        return f"{up_to(node.lent, node.resource, node.is_certain)} lent"
    return "—"
