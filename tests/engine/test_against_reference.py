"""The fast engine decides what the slow one decides, in random worlds, and keeps its promises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from console.engine.amounts import UNLIMITED
from console.engine.decision import Outcome, Reason
from console.engine.state import State
from tests.engine.builders import in_words
from tests.engine.reference import Reference
from tests.engine.rows import Rows
from tests.engine.strategies import policies, workloads

#: Decisions that only say why a workload waits; the reference answers that when asked.
PARKING = (
    Reason.QUEUE_HELD,
    Reason.EXCEEDS_MAX_QUOTA,
    Reason.WAITING_FOR_QUOTA,
    Reason.BEHIND_OTHERS,
)


class TwoWorlds:
    """One random world, told the same facts twice: to the engine and to the reference."""

    def __init__(self, draw: Callable[..., object]) -> None:
        self.draw = draw
        policy = draw(policies())
        self.state = State(policy)
        self.reference = Reference(policy)
        self.rows = Rows()
        self.submitted = 0
        #: Quota was cut while workloads ran, so a queue may hold more than it owns.
        self.cut = False

    def step(self) -> None:
        """Let one fact happen, and settle now or later."""
        facts = [self.submit] * 4
        if self.rows.rows:
            facts.append(self.end)
        if self.state.departing:
            facts += [self.release] * 3
        facts += [self.hold] if not self.reference.held else [self.resume]
        facts += [self.change_policy, self.rebuild]
        self.draw(st.sampled_from(facts))()
        if self.draw(st.integers(0, 3)):
            self.settle(self.draw(st.sampled_from([1_000_000, 1, 2])))

    def submit(self) -> None:
        for _ in range(self.draw(st.integers(1, 3))):
            self.submitted += 1
            workload = self.draw(workloads(self.submitted))
            self.state.submit(workload)
            self.reference.submit(workload)
            self.rows.submit(workload)

    def end(self) -> None:
        name = self.draw(st.sampled_from(sorted(self.rows.rows)))
        assert self.state.finish(name)
        self.reference.finish(name)
        self.rows.end(name)

    def release(self) -> None:
        departing = sorted(self.state.departing)
        everybody = self.draw(st.booleans())
        for name in departing if everybody else [self.draw(st.sampled_from(departing))]:
            workload = self.state.running[name].workload
            assert self.state.release(name)
            self.reference.release(name)
            self.rows.submit(workload)

    def hold(self) -> None:
        name = self.draw(st.sampled_from(sorted(self.state.policy.queues)))
        self.state.hold(name)
        self.reference.held.add(name)

    def resume(self) -> None:
        self.state.resume(self.reference.held.pop())

    def change_policy(self) -> None:
        policy = self.draw(policies())
        self.state.change_policy(policy)
        self.reference.change_policy(policy)
        self.cut = True

    def rebuild(self) -> None:
        """Go on with a state that knows only what rows know."""
        self.settle(1_000_000)
        self.state = self.rows.load(self.state.policy, self.reference.held)
        assert self.state.settle() == []
        self.agree()

    def settle(self, budget: int) -> None:
        """Settle both, the engine *budget* decisions at a time."""
        decisions = []
        while not self.state.is_settled:
            decisions += self.state.settle(budget)
        self.rows.note(decisions)
        acted = [in_words(each) for each in decisions if each.reason not in PARKING]
        assert sorted(acted) == sorted(self.reference.settle())
        for decision in decisions:
            outcome = decision.trace.outcome
            assert (outcome.outcome, outcome.reason) == (decision.outcome, decision.reason)
        assert self.state.settle() == []
        self.agree()

    def agree(self) -> None:
        """Compare the two worlds as they stand, and hold the laws."""
        assert {
            name: (r.queue, r.priority, dict(r.assignment), r.departing)
            for name, r in self.state.running.items()
        } == {
            r.workload.id: (r.queue, r.priority, r.assignment, r.departing)
            for r in self.reference.running
        }
        before = self._usages()
        self.state.take_changes()
        pending = {}
        for name in self.state.pending:
            outcome = self.state.explain(name).outcome
            assert outcome.outcome is Outcome.PENDING
            pending[name] = outcome.reason.value
            waiting = self.state.pending[name]
            if name not in self.state.promises:
                cls = self.state.pending_class(waiting.route.queue or "", waiting.class_key)
                assert cls is not None
                assert cls.verdict is not None
                assert cls.verdict.reason is outcome.reason
        assert pending == {w.workload.id: self.reference.reason(w) for w in self.reference.waiting}
        for name, running in self.state.running.items():
            outcome = self.state.explain(name).outcome
            expected = Outcome.PREEMPTED if running.departing else Outcome.ADMITTED
            assert (outcome.outcome, outcome.assignment) == (expected, running.assignment)
        assert self._usages() == before
        self._usage_is_what_runs()

    def _usages(self) -> dict[str, tuple[dict[tuple[str, str], int], ...]]:
        return {
            name: (dict(self.state.usage(name)), dict(self.state.expected.queue(name).usage))
            for name in self.state.queues
        }

    def _usage_is_what_runs(self) -> None:
        for name, (now, expected) in self._usages().items():
            held = Counter[tuple[str, str]]()
            later = Counter[tuple[str, str]]()
            for running in self.state.running.values():
                if running.queue == name:
                    held.update(running.usage)
                    later.update({} if running.departing else running.usage)
            for promise in self.state.promises.values():
                if promise.pending.route.queue == name:
                    later.update(promise.usage)
            assert (now, expected) == (dict(held), dict(later))
            if not self.cut:
                for key in held | later:
                    nominal = self.state.ledger.queue(name).quota(key).nominal
                    assert nominal is UNLIMITED or max(held[key], later[key]) <= nominal


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_engine_and_reference_agree(data: st.DataObject) -> None:
    worlds = TwoWorlds(data.draw)
    for _ in range(25):
        worlds.step()
    worlds.settle(1_000_000)
