"""Data of an organization for lints: recorded history, live workloads and the active policy."""

from __future__ import annotations

from dataclasses import dataclass, field

from console.engine.model.history import History, Live
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Data of one organization; with none, only the text itself is evaluated."""

    history: History = field(default_factory=lambda: History(window_days=0))
    live: Live = field(default_factory=Live)
    #: The clusters without their nodes; None if they are unknown.
    inventory: Inventory | None = None
    #: The active policy; None if it is unknown.
    before: Policy | None = None


NO_FACTS = Facts()
