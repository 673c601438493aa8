"""
The guard of calls of plugins: a plugin that fails or takes too long fails one decision only.

A call that takes too long is interrupted. If it cannot be, its result is refused when it returns. A
plugin that takes too long repeatedly is not asked for a while, so that it cannot occupy a process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

import structlog
from celery.exceptions import SoftTimeLimitExceeded

from console.engine.model.plugins import PluginFailed, failure_sentence
from console.interruption import Interrupted, call_within

T = TypeVar("T")

log = structlog.get_logger(__name__)

#: Seconds that a plugin may take to filter, to score or to spread, for all clusters together.
LIMIT: Final = 1.0

#: Number of calls in succession that take too long, after which a plugin is not asked.
MOST_LATE: Final = 3

#: Seconds for which it is not asked then.
REST: Final = 60.0

#: Maximum number of different failures that a process logs.
_MOST_LOGGED: Final = 100


class PluginGuard:
    """Runs calls of plugins; see `console.engine.model.plugins.Guard`."""

    def __init__(self, limit: float = LIMIT, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._clock = clock
        #: Plugin -> number of late calls in succession.
        self._late: dict[str, int] = {}
        #: Plugin -> time until which it is not asked.
        self._resting: dict[str, float] = {}
        self._logged: set[tuple[str, str]] = set()

    def __call__(self, plugin: str, call: Callable[[], T]) -> T:
        """Return the result of *call*; raises PluginFailed."""
        begun = self._clock()
        if begun < self._resting.get(plugin, begun):
            raise PluginFailed(
                f"It took longer than {self._limit:g} s {MOST_LATE} times in succession, and is "
                f"not asked for {REST:g} s."
            )
        try:
            result = call_within(self._limit, call)
        except (PluginFailed, SoftTimeLimitExceeded):
            raise
        except Interrupted:
            raise self._too_late(plugin) from None
        except BaseException as error:
            # A plugin may call `sys.exit`. Subclasses of SystemExit stop workers of Celery.
            if not isinstance(error, Exception) and type(error) is not SystemExit:
                raise
            raise self._failed(plugin, error) from error
        if self._clock() - begun > self._limit:
            raise self._too_late(plugin)
        self._late.pop(plugin, None)
        return result

    def _too_late(self, plugin: str) -> PluginFailed:
        self._late[plugin] = self._late.get(plugin, 0) + 1
        if self._late[plugin] >= MOST_LATE:
            self._late.pop(plugin)
            self._resting[plugin] = self._clock() + REST
        log.warning("plugin took too long", plugin=plugin, limit=self._limit)
        return PluginFailed(f"It took longer than {self._limit:g} s.")

    def _failed(self, plugin: str, error: BaseException) -> PluginFailed:
        sentence = f"{failure_sentence(error)}."
        if (plugin, sentence) not in self._logged and len(self._logged) < _MOST_LOGGED:
            self._logged.add((plugin, sentence))
            log.warning("plugin failed", plugin=plugin, exc_info=error)
        return PluginFailed(sentence)
