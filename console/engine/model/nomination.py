"""Nominations: what a discipline finds for one workload, as the rest of the engine reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from console.engine.model.amounts import FlavorResource
from console.engine.model.reasons import Reason
from console.engine.model.trace import TurnStep


class Nomination(Protocol):
    """What a discipline found for one workload, without having changed anything."""

    @property
    def usage(self) -> Mapping[FlavorResource, int]:
        """What the workload would take of the best flavors, in thousandths."""

    @property
    def counts(self) -> Mapping[str, int]:
        """How many pods of each pod set it would start with."""

    @property
    def is_lasting(self) -> bool:
        """Whether it would find the same for as long as there is too little room."""

    @property
    def pending_reason(self) -> Reason:
        """Why it cannot be admitted now; meaningless when it can."""


class Report(Nomination, Protocol):
    """A nomination as of one moment, with everything that a person wants to know of it."""

    @property
    def turn(self) -> TurnStep | None:
        """The workloads that keep it from what was found for it; None: none is known."""
