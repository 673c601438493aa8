"""
Property tests of the toy discipline in random worlds of lines.

They need the toy plugged in, so `tests/dialects/test_plugged_in.py` runs them.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from console.dialects.fifo.routing import LABEL, LineRouting
from console.engine.disciplines.slots.reasons import EXCEEDS_LIMIT, LIMIT_REACHED, WITHIN_LIMIT
from console.engine.disciplines.slots.spec import SLOTS, Line, SlotsSpec, slots_of
from console.engine.explain import explain
from console.engine.model.common_reasons import BEHIND_OTHERS
from console.engine.model.decision import Decision, Outcome
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet, Workload
from console.engine.state import State
from tests.engine.rows import Rows
from tests.engine.strategies import worlds

_NAMES = ("batch", "training")


def _policy(limits: dict[str, int]) -> Policy:
    """Return a policy with these CPU limits; 0 means no limit."""
    lines = {
        name: Line(name=name, limit={"cpu": cpu} if cpu else {}, is_passthrough=not cpu)
        for name, cpu in limits.items()
    }
    return Policy(dialect="fifo", spec=SlotsSpec(queues=lines), routing=LineRouting(tuple(lines)))


def _workload(number: int, line: str, cpu: int) -> Workload:
    pods = PodSet(name="main", count=1, requests={"cpu": cpu})
    return Workload(id=f"w{number}", sequence=number, labels={LABEL: line}, pod_sets=(pods,))


class _World:
    """An engine state under random events, and the rows that a database would store."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self.policy = self._limits()
        self.state, self.rows = State(self.policy), Rows()
        self._number = 0
        #: Line -> latest submission admitted since the last policy change.
        self._admitted: dict[str, int] = {}

    def _limits(self) -> Policy:
        return _policy({name: self._draw(st.integers(0, 9)) for name in _NAMES})

    def step(self) -> None:
        """Apply one random event."""
        match self._draw(st.integers(0, 9)):
            case 0:
                self.policy = self._limits()
                self.state.change_policy(self.policy)
                self.rows.version += 1
                self._admitted.clear()
            case 1:
                name = self._draw(st.sampled_from(_NAMES))
                is_held = name in self.rows.held
                (self.state.resume if is_held else self.state.hold)(name)
                self.rows.held ^= {name}
            case 2 | 3 | 4 if self.rows.rows:
                name = self._draw(st.sampled_from(sorted(self.rows.rows)))
                assert self.state.finish(name)
                self.rows.end(name)
            case _:
                self._number += 1
                line, cpu = self._draw(st.sampled_from(_NAMES)), self._draw(st.integers(0, 6))
                workload = _workload(self._number, line, cpu)
                self.state.submit(workload)
                self.rows.submit(workload)
        note(f"{self.state.pending.keys()} pending, {self.state.running.keys()} running")

    def settle(self) -> None:
        """Settle, and check the properties of the decisions and of the state."""
        over = {name for name in _NAMES if self._is_over(name)}
        decisions = self.state.settle()
        admitted = [each for each in decisions if each.outcome is Outcome.ADMITTED]
        self.rows.note(decisions)
        assert {each.queue for each in admitted if not self._fits_anywhere(each)}.isdisjoint(over)
        self._in_order(admitted)
        for name in _NAMES:
            assert self.state.usage(name) == self._held(name)
            assert not self._is_over(name) or name in over
        assert self.state.settle() == []
        self._explains(decisions)

    def _fits_anywhere(self, decision: Decision) -> bool:
        return not any(self.state.running[decision.workload].usage.values())

    def _is_over(self, name: str) -> bool:
        limit = slots_of(self.policy).queues[name].limit
        used = self.state.usage(name)
        return any(used.get((SLOTS, each), 0) > amount for each, amount in limit.items())

    def _held(self, name: str) -> dict[tuple[str, str], int]:
        total: dict[tuple[str, str], int] = {}
        for each in self.state.running.values():
            for key, amount in each.usage.items() if each.queue == name else ():
                total[key] = total.get(key, 0) + amount
        return {key: amount for key, amount in total.items() if amount}

    def _in_order(self, admitted: Iterable[Decision]) -> None:
        for each in admitted:
            assert each.queue is not None
            sequence = self.state.running[each.workload].workload.sequence
            assert sequence > self._admitted.get(each.queue, 0), "nothing overtakes in a line"
            self._admitted[each.queue] = sequence

    def _explains(self, decisions: Iterable[Decision]) -> None:
        for each in decisions:
            told = explain(each.trace)
            assert told.reason is each.reason
            assert told.headline.endswith(".")
        for uid in self.state.pending:
            assert self.state.explain(uid).outcome.outcome is Outcome.PENDING

    def rebuild(self) -> None:
        """Continue with the state restored from rows, which must have nothing to decide."""
        again = self.rows.load(self.policy)
        assert again.settle() == []
        assert again.pending.keys() == self.state.pending.keys()
        assert again.running.keys() == self.state.running.keys()
        assert [again.usage(name) for name in _NAMES] == [self.state.usage(n) for n in _NAMES]
        self.state = again


@worlds(150)
@given(draw=st.data())
def test_every_law_holds_in_every_world(draw: st.DataObject) -> None:
    world = _World(draw.draw)
    for _ in range(draw.draw(st.integers(1, 25))):
        world.step()
        if draw.draw(st.booleans()):
            world.settle()
            if draw.draw(st.booleans()):
                world.rebuild()
    world.settle()


@pytest.mark.parametrize(
    ("cpu", "reason", "headline"),
    [
        (9, EXCEEDS_LIMIT, "Rejected by batch: it requests 9 CPUs, and the limit is 8."),
        (8, LIMIT_REACHED, "Waiting in batch: it requests 8 CPUs, 2 of 8 free now."),
        (1, WITHIN_LIMIT, "Admitted in batch: its request fits the limit."),
    ],
)
def test_every_reason_says_what_is_short(cpu: int, reason: str, headline: str) -> None:
    state = State(_policy({"batch": 8_000}))
    state.submit(_workload(1, "batch", 6_000))
    state.submit(_workload(2, "", cpu * 1000))
    decision = next(each for each in state.settle() if each.workload == "w2")
    assert (decision.reason, explain(decision.trace).headline) == (reason, headline)


def test_the_first_of_a_line_blocks_the_others_until_it_fits() -> None:
    state = State(_policy({"batch": 8_000}))
    for number, cpu in enumerate((6_000, 4_000, 1_000), 1):
        state.submit(_workload(number, "batch", cpu))
    told = [(each.workload, each.reason) for each in state.settle()]
    assert told == [("w1", WITHIN_LIMIT), ("w2", LIMIT_REACHED), ("w3", BEHIND_OTHERS)]
    state.finish("w1")
    assert [each.workload for each in state.settle()] == ["w2", "w3"]
