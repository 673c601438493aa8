"""Cache of live engine states that a worker process keeps between runs."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from console.engine.state import State
from console.workloads.services.update_over_quota import OverQuotaRows

#: Size of a state without workloads, counted in workloads.
_EMPTY = 200


@dataclass(slots=True, kw_only=True)
class WarmState:
    """A live state and its engine version."""

    version: int
    #: Time of the write of that version: a restored database counts up to the same version again.
    written: str
    config_version: int
    state: State
    #: The rows of queues that use more than their nominal quota.
    over_quota_rows: OverQuotaRows
    #: Whether the rows record that nothing is left to decide.
    is_noted_settled: bool
    #: Like `Engine.wakes_at`.
    wakes_at: int | None
    #: Seconds of loading it from rows; None after the first batch, which records them, to save a
    #: transaction.
    load: float | None = None

    @property
    def size(self) -> int:
        """Approximate memory use, counted in workloads."""
        return _EMPTY + len(self.state.pending) + len(self.state.running)


class WarmStates:
    """
    States by organization, limited in total size; the last used one is always kept.

    A dropped state has to be read from rows again; it has no other effect.
    """

    def __init__(self, most: int) -> None:
        """Limit the cache to *most* workloads."""
        self._most = most
        #: States, each with its size when it was stored, in order of use.
        self._states: OrderedDict[int, tuple[WarmState, int]] = OrderedDict()
        self._size = 0

    def __contains__(self, org_id: int) -> bool:
        """Return whether the state of an organization is cached."""
        return org_id in self._states

    def get(self, org_id: int) -> WarmState | None:
        """Return the cached state of an organization, or None."""
        found = self._states.get(org_id)
        return None if found is None else found[0]

    def keep(self, org_id: int, warm: WarmState) -> None:
        """Store *warm* as the last used state, and drop the least recently used ones."""
        self.drop(org_id)
        self._states[org_id] = warm, warm.size
        self._size += warm.size
        while self._size > self._most and len(self._states) > 1:
            self.drop(next(iter(self._states)))

    def drop(self, org_id: int) -> None:
        """Drop the state of an organization, if it is cached."""
        found = self._states.pop(org_id, None)
        if found is not None:
            self._size -= found[1]

    def clear(self) -> None:
        """Drop all states."""
        self._states.clear()
        self._size = 0
