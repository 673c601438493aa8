"""Compilation of a valid document to a policy."""

from __future__ import annotations

from console.dialects.fifo.routing import LineRouting
from console.dialects.fifo.schema import Document, LineDoc
from console.dialects.positions import Positions
from console.dialects.written import value_of
from console.engine.disciplines.slots.spec import Line, SlotsSpec
from console.engine.model.policy import Policy
from console.engine.model.routing import NoRouting


def compile_policy(document: Document, positions: Positions) -> Policy:
    """Return the policy of a document without errors."""
    lines = {line.name: line for line in (_line(each, positions) for each in document.lines)}
    return Policy(
        dialect="fifo",
        spec=SlotsSpec(queues=lines),
        routing=LineRouting(tuple(lines)) if lines else NoRouting(),
    )


def _line(line: LineDoc, positions: Positions) -> Line:
    amounts = {resource: value_of(amount) for resource, amount in line.limit.items()}
    limit = {resource: amount for resource, amount in amounts.items() if amount is not None}
    return Line(
        name=value_of(line.name) or "",
        is_passthrough=not limit,
        limit=limit,
        origin=positions.span(line.place.start, line.place.end),
    )
