"""Run the world of a case to rest, cycle by cycle; victims stop immediately."""

from __future__ import annotations

from collections.abc import Iterator

from console.engine.model.decision import Decision
from console.engine.state import State

#: Cycles after which a world counts as restless.
_CYCLES = 10_000


class RestlessError(Exception):
    """A world that never comes to rest."""


def cycles_to_rest(state: State, *, skipping: bool = False) -> Iterator[tuple[int, list[Decision]]]:
    """
    Yield the number of every cycle from 1, with its decisions, until nothing changes.

    After each cycle, all victims have stopped. When nothing changes, all workloads get another
    turn without memory of earlier ones, which must not change anything either. *skipping* is as in
    `State.step`.

    Raises RestlessError if the world does not come to rest.
    """
    looked_again = False
    for cycle in range(1, _CYCLES):
        made = state.step(skipping=skipping)
        yield cycle, made
        evicting = sorted(state.evicting)
        for name in evicting:
            state.release(name)
        if made or evicting:
            looked_again = False
        if not state.is_settled:
            continue
        if looked_again:
            return
        looked_again = True
        state.requeue()
    raise RestlessError(f"after {_CYCLES} cycles workloads still preempt each other.")
