"""What lints may know beside the text: recorded history, what runs, and the active policy."""

from __future__ import annotations

from dataclasses import dataclass, field

from console.engine.model.history import History, Live
from console.engine.model.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Facts about one organization; without any, only the text itself is judged."""

    history: History = field(default_factory=lambda: History(window_days=0))
    live: Live = field(default_factory=Live)
    #: What is obeyed now; None: nothing is known of it.
    before: Policy | None = None


NO_FACTS = Facts()
