"""Random worlds in which time matters: a state rebuilt from rows has the same times and wakeups."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given, note
from hypothesis import strategies as st

from console.engine.disciplines.fairshare.live_world import world_of
from console.engine.disciplines.fairshare.spec import UsageWindow
from console.engine.live.pod_changes import PodGroup
from console.engine.model.decision import Decision
from console.engine.model.policy import Policy
from console.engine.model.usage_history import EXPIRY, UsageHistory
from console.engine.state import State
from tests.engine.fairshare.live import inventory, policy, queue, workload
from tests.engine.rows import Rows
from tests.engine.strategies import worlds

_QUEUES = ("a", "b")


class _World:
    """A state under random events, and the rows that a database would store."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self.policy = self._settings()
        self.state, self.rows = State(self.policy), Rows()
        self._number = 0
        self.nodes = inventory(2, 2)
        self.state.change_inventory(self.nodes)

    def _settings(self) -> Policy:
        runtimes = st.sampled_from((0, 40_000))
        quota = st.integers(0, 2)
        return policy(
            [
                queue("lab", quota=4),
                *(queue(name, "lab", quota=self._draw(quota)) for name in _QUEUES),
            ],
            preempt_min_runtime=self._draw(runtimes),
            reclaim_min_runtime=self._draw(runtimes),
            stale_grace=self._draw(st.sampled_from((-1, 0, 30_000))),
            usage_window=self._draw(st.sampled_from((None, UsageWindow()))),
        )

    def step(self) -> None:
        """Apply one random event."""
        match self._draw(st.integers(0, 14)):
            case 0 | 1 | 2 | 3:
                self._submit()
            case 4 | 5 if self.rows.rows:
                name = self._any(self.rows.rows)
                assert self.state.finish(name)
                self.rows.end(name)
            case 6 | 7 if self.state.running:
                self._end_pods()
            case 8:
                sizes = self._draw(st.lists(st.integers(1, 2), min_size=1, max_size=3))
                self.nodes = inventory(*sizes)
                self.state.change_inventory(self.nodes)
            case 9:
                self._measure()
            case 10 if self.state.evicting:
                self._release()
            case 11:
                # Rows cannot represent a partly settled state across a policy change.
                self.settle()
                self.policy = self._settings()
                self.rows.version += 1
                self.state.change_policy(self.policy)
                self.rows.usage_history = self.state.usage_history
            case 12 if self.rows.rows:
                name, priority = self._any(self.rows.rows), self._draw(st.sampled_from((50, 60)))
                if self.state.change_priority(name, priority):
                    self.rows.change_priority(name, priority)
            case 13:
                name = self._draw(st.sampled_from(_QUEUES))
                is_held = name in self.rows.held
                (self.state.resume if is_held else self.state.hold)(name)
                self.rows.held ^= {name}
            case _:
                # Often to the time of a wakeup, or just before it.
                steps = [1, 20_000, EXPIRY]
                wakeup = self.state.next_wakeup if self.state.is_settled else None
                if wakeup is not None:
                    steps += [wakeup - self.rows.now, wakeup - self.rows.now - 1]
                self.rows.now += self._draw(st.sampled_from(steps))
                self.state.advance(self.rows.now)

    def _any(self, names: object) -> str:
        return self._draw(st.sampled_from(sorted(names)))  # type: ignore[call-overload]

    def _submit(self) -> None:
        self._number += 1
        count = self._draw(st.integers(1, 3))
        created = workload(
            f"w{self._number}",
            self._number,
            self._draw(st.sampled_from(_QUEUES)),
            count=count,
            min_count=self._draw(st.sampled_from((None, 1))),
            priority=self._draw(st.sampled_from((50, 60))),
        )
        self.state.submit(created)
        self.rows.submit(created)

    def _end_pods(self) -> None:
        name = self._any(self.state.running)
        pods = PodGroup(pod_set="main", count=self._draw(st.integers(1, 2)))
        finishes = self._draw(st.booleans())
        ended = (self.state.finish_pods if finishes else self.state.release_pods)(name, pods)
        if name in self.state.running:
            self.rows.change_pods(self.state.running[name])
        elif ended:
            self.rows.end(name)

    def _release(self) -> None:
        name = self._any(self.state.evicting)
        assert self.state.release(name)
        self.rows.release(name, self.state.pending[name].yields_to)

    def _measure(self) -> None:
        parts = {name: {"gpu": self._draw(st.sampled_from((0.1, 0.9)))} for name in _QUEUES}
        history = UsageHistory(measured_at=self.rows.now, parts=parts)
        self.state.change_usage_history(history)
        self.rows.usage_history = self.state.usage_history

    def settle(self) -> None:
        """Settle and store the decisions."""
        decisions = self.state.settle()
        note(f"at {self.rows.now}: {_texts(decisions)}")
        self.rows.note(decisions)
        assert self.state.settle() == []

    def rebuild(self) -> None:
        """Continue with a state from rows, which has to have the same times and fair shares."""
        again = self.rows.load(self.policy, self.nodes)
        assert _texts(again.settle()) == []
        assert _facts(again) == _facts(self.state)
        self.state = again


def _texts(decisions: Iterable[Decision]) -> list[str]:
    return [f"{each.workload}: {each.outcome} ({each.reason})" for each in decisions]


def _facts(state: State) -> object:
    return (
        state.now,
        state.next_wakeup,
        state.usage_history,
        {
            name: (each.started, each.short_since, each.workload, each.evicting)
            for name, each in state.running.items()
        },
        {
            name: standing.fair_share
            for name, standing in world_of(state).open(state).standings.items()
        },
    )


@worlds(150)
@given(draw=st.data())
def test_a_rebuilt_state_knows_the_times(draw: st.DataObject) -> None:
    world = _World(draw.draw)
    for _ in range(draw.draw(st.integers(1, 25))):
        world.step()
        if draw.draw(st.booleans()):
            world.settle()
            if draw.draw(st.booleans()):
                world.rebuild()
    world.settle()
    world.rebuild()
