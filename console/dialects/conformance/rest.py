"""How a world of a case comes to rest: cycle by cycle, and who has to stop stops at once."""

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
    Yield the number of every cycle from 1, with what it decided, until nothing changes any more.

    After each cycle all who were told to stop have stopped. When nothing
    changes, everybody gets another turn without memory of earlier ones, and that has to
    change nothing either. *skipping* is as in `State.step`.

    Raises RestlessError when the world never rests.
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
