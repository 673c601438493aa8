"""How long workers and beat wait between two attempts to reach a broker that is away."""

from __future__ import annotations

from typing import Any, Final

from kombu import Connection

#: Seconds until the second attempt, by how much each pause is longer, and the longest one. Left to
#: themselves they would wait up to 30, and so would what was accepted while the broker was away.
PAUSES: Final = {"interval_start": 1, "interval_step": 1, "interval_max": 3}


class PromptConnection(Connection):
    """Finds a broker soon after it is back, however long it was away."""

    def ensure_connection(self, *args: Any, **kwargs: Any) -> PromptConnection:
        """Try until it is there; raises `OperationalError` where attempts are counted."""
        super().ensure_connection(*args, **PAUSES | kwargs)
        return self
