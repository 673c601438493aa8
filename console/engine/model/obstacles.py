"""Obstacles: why a pod set cannot use a flavor, whatever the quota."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from console.engine.model.trace import FailedExpression, FlavorVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """
    Why a pod set cannot use a flavor, whatever the quota.

    *verdict* is FLAVOR_MISSING, SELECTOR_FALSE, TAINT_NOT_TOLERATED or
    LABELS_DO_NOT_MATCH.
    """

    verdict: FlavorVerdict
    #: For SELECTOR_FALSE, the flavor's expression on the workload's labels; for
    #: LABELS_DO_NOT_MATCH, the pod set's expression on the flavor's node labels.
    failed: FailedExpression | None = None
    #: The taint that is not tolerated, as "key=value:Effect".
    taint: str | None = None


#: By resource group and flavor of the queue, in the order of its policy; None: no obstacle.
Obstacles: TypeAlias = tuple[tuple[Obstacle | None, ...], ...]
