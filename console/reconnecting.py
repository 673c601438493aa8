"""Pauses between attempts of workers and beat to reconnect to the broker."""

from __future__ import annotations

from typing import Any, Final

from kombu import Connection

#: Seconds: the first pause, the increase per attempt, and the longest pause. Default pauses grow to
#: 30 seconds, and requests accepted while the broker was down would wait as long.
PAUSES: Final = {"interval_start": 1, "interval_step": 1, "interval_max": 3}


class PromptConnection(Connection):
    """Connection that reaches the broker soon after a restart, however long the outage was."""

    def ensure_connection(self, *args: Any, **kwargs: Any) -> PromptConnection:
        """Connect, with retries; raises `OperationalError` if the number of attempts is limited."""
        super().ensure_connection(*args, **PAUSES | kwargs)
        return self
