"""Flavor evaluation: one flavor of a queue as a workload that is routed there finds it."""

from __future__ import annotations

from dataclasses import dataclass

from console.engine.model.amounts import Amount
from console.engine.model.obstacles import Obstacle
from console.engine.model.origin import Origin
from console.engine.routing.selector_evaluation import ExpressionResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """One resource of one flavor and the workload's request of it; amounts in thousandths."""

    resource: str
    requested: int
    nominal: Amount
    #: What the queue could use if nothing ran anywhere.
    maximum: Amount
    #: What it could use now.
    available: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorEvaluation:
    """One flavor of a queue, in the order of trying, and its evaluation for a workload."""

    flavor: str
    #: Its selector's expressions on the workload's labels.
    expressions: tuple[ExpressionResult, ...]
    #: The obstacle of the first pod set that it excludes; None: it accepts all.
    obstacle: Obstacle | None
    #: Of the requested resources; empty: the flavor would not be tried.
    shares: tuple[Share, ...]
    origin: Origin | None = None
