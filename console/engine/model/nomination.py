"""Protocols of nominations: the result of a discipline for one workload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from console.engine.model.amounts import FlavorResource
from console.engine.model.reasons import Reason
from console.engine.model.trace import TurnStep


class Nomination(Protocol):
    """The result of a discipline for one workload, found without changing the state."""

    @property
    def usage(self) -> Mapping[FlavorResource, int]:
        """The amounts that the workload would use of the best flavors, in thousandths."""

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of pods of each pod set that would start."""

    @property
    def is_lasting(self) -> bool:
        """Whether the result stays the same as long as capacity is short."""

    @property
    def pending_reason(self) -> Reason:
        """Why the workload cannot be admitted now; meaningless when it can."""


class Report(Nomination, Protocol):
    """A nomination against the present state, with the details for an explanation."""

    @property
    def turn(self) -> TurnStep | None:
        """The workloads that prevent its admission; None: none is known."""
