"""Warm states: the engines that a worker process keeps between runs, those used last."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from console.engine.state import State
from console.workloads.services.note_over_quota import OverQuotaSince

#: What a state takes without any workload, as if it were so many of them.
_EMPTY = 200


@dataclass(slots=True, kw_only=True)
class Warm:
    """A live state and the engine version it stands for."""

    version: int
    #: When that was written: a database that was set back counts up to the same version again.
    written: str
    config_version: int
    state: State
    #: What its rows say of queues that use more than they own.
    over_quota_since: OverQuotaSince
    #: Whether the rows say that nothing is left to decide.
    is_noted_settled: bool
    #: As `Engine.wakes_at`.
    wakes_at: int | None
    #: Seconds that it took to read it from rows, until a batch counts them: by itself that would
    #: be one more transaction to wait for.
    load: float | None = None

    @property
    def size(self) -> int:
        """About how much memory it takes, in workloads."""
        return _EMPTY + len(self.state.pending) + len(self.state.running)


class WarmStates:
    """
    States by organization, up to a size together; the one used last is always kept.

    Dropping one costs the time to read it from rows again, and nothing else.
    """

    def __init__(self, most: int) -> None:
        """Keep up to *most* workloads."""
        self._most = most
        #: States and their sizes when they were kept; the one used last is the last one.
        self._states: OrderedDict[int, tuple[Warm, int]] = OrderedDict()
        self._size = 0

    def __contains__(self, org_id: int) -> bool:
        """Whether an organization is warm."""
        return org_id in self._states

    def get(self, org_id: int) -> Warm | None:
        """Return the state of an organization, if it is still there."""
        found = self._states.get(org_id)
        return None if found is None else found[0]

    def keep(self, org_id: int, warm: Warm) -> None:
        """Keep *warm* as the one used last, and forget those that were not used for longest."""
        self.drop(org_id)
        self._states[org_id] = warm, warm.size
        self._size += warm.size
        while self._size > self._most and len(self._states) > 1:
            self.drop(next(iter(self._states)))

    def drop(self, org_id: int) -> None:
        """Forget the state of an organization, if there is one."""
        found = self._states.pop(org_id, None)
        if found is not None:
            self._size -= found[1]

    def clear(self) -> None:
        """Forget all."""
        self._states.clear()
        self._size = 0
