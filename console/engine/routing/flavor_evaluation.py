"""Flavor evaluation: the selector, obstacle and quota of one flavor of a queue for a workload."""

from __future__ import annotations

from dataclasses import dataclass

from console.engine.model.amounts import Amount
from console.engine.model.obstacles import Obstacle
from console.engine.model.origin import Origin
from console.engine.routing.selector_evaluation import ExpressionResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The quota of one resource in one flavor, and the workload's request; in thousandths."""

    resource: str
    requested: int
    nominal: Amount
    #: The most that the queue could use if nothing ran anywhere.
    maximum: Amount
    #: The most that the queue could use now.
    available: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorEvaluation:
    """The evaluation of one flavor of a queue for a workload."""

    flavor: str
    #: The expressions of its selector on the workload's labels.
    expressions: tuple[ExpressionResult, ...]
    #: The obstacle of the first pod set that it excludes; None: it accepts all pod sets.
    obstacle: Obstacle | None
    #: By requested resource; empty: the flavor would not be tried.
    shares: tuple[Share, ...]
    origin: Origin | None = None
