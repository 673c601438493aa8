"""Routes that placement rules found, with the answer of each rule on request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from console.engine.disciplines.hierarchy.placement import Placement
from console.engine.disciplines.hierarchy.spec import Partition
from console.engine.model.route import Route


class Placed(NamedTuple):
    """The partition of a workload, and what its rules answered."""

    partition: Partition
    placement: Placement
    #: YuniKorn's message why the queue cannot be created; None: it can, or exists.
    refusal: str | None = None


@dataclass(frozen=True, kw_only=True)
class PlacementRoute(Route):
    """The route of a workload by the placement rules of its partition."""

    #: Asks the rules again: routes are kept for all pending workloads, answers are not.
    placed: Callable[[], Placed] = field(repr=False, compare=False)
