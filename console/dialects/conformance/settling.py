"""Run cycles until the state of a case no longer changes; victims stop immediately."""

from __future__ import annotations

from collections.abc import Iterator

from console.engine.model.decision import Decision
from console.engine.state import State

#: Maximum number of cycles.
_CYCLES = 10_000


class UnsettledError(Exception):
    """The state of a case never stops changing."""


def cycles_until_settled(
    state: State, *, skipping: bool = False
) -> Iterator[tuple[int, list[Decision]]]:
    """
    Yield the number of every cycle from 1, with its decisions, until nothing changes.

    After each cycle, all victims have stopped. When nothing changes, all workloads are requeued
    once, which must not change anything either. *skipping* is as in `State.step`.

    Raises UnsettledError if the state never stops changing.
    """
    has_requeued = False
    for cycle in range(1, _CYCLES):
        made = state.step(skipping=skipping)
        yield cycle, made
        evicting = sorted(state.evicting)
        for name in evicting:
            state.release(name)
        if made or evicting:
            has_requeued = False
        if not state.is_settled:
            continue
        if has_requeued:
            return
        has_requeued = True
        state.requeue()
    raise UnsettledError(f"after {_CYCLES} cycles workloads still preempt each other.")
