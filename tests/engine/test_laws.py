"""Invariants of the engine, in random worlds with random events."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from hypothesis import given, note
from hypothesis import strategies as st

from console.engine.disciplines.quota.ledger import Node
from console.engine.model.amounts import FlavorResource, Unlimited
from console.engine.model.decision import Decision, Outcome
from console.engine.model.policy import Policy
from console.engine.model.stored_trace import trace_from_json, trace_to_json
from console.engine.routing.rule_routing import with_rules
from console.engine.state import State
from tests.engine.builders import decision_text
from tests.engine.rows import Rows
from tests.engine.strategies import draws, policies, workloads, worlds
from tests.engine.world_descriptions import policy_lines, workload_line

#: Settles after which a world counts as unstable; each makes at least one decision.
MOST_SETTLES = 1000


class RandomWorld:
    """
    One random world, fed with the same events into two states.

    *state* is asked for explanations all the time; *twin* is sometimes replaced by a sparse
    state restored from rows, which has a tree only once a workload is in it. Both must make the
    same decisions.
    """

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.policy = self._policy()
        self.state, self.twin = State(self.policy), State(self.policy, is_sparse=True)
        self.rows = Rows()
        self.submitted = 0

    def _policy(self) -> Policy:
        policy = self.draw(policies())
        for line in policy_lines(policy):
            note(line)
        return policy

    def step(self) -> None:
        """Apply a random event, and settle now or later."""
        facts = [self.submit] * 4
        if self.rows.rows:
            facts += [self.finish, self.withdraw, self.change_priority]
            facts += [self.deactivate_or_activate]
        if self.state.evicting:
            facts += [self.release] * 3
        facts += [self.resume] if self.rows.held else [self.hold]
        facts += [self.change_policy, self.advance]
        self.draw(st.sampled_from(facts))()
        if self.draw(st.integers(0, 3)):
            self.settle(self.draw(st.sampled_from([1_000_000, 1_000_000, 1, 2, 3])))

    # Events

    def submit(self) -> None:
        for _ in range(self.draw(st.integers(1, 3))):
            self.submitted += 1
            workload = replace(
                self.draw(workloads(self.submitted)),
                max_run_time=self.draw(st.sampled_from([None, None, None, 4, 12])),
            )
            note(f"submit {workload_line(workload)}")
            self.rows.submit(workload)
            for state in (self.state, self.twin):
                state.submit(workload)

    def finish(self) -> None:
        name = self._any_workload()
        note(f"finish {name}")
        self.rows.end(name)
        assert self.state.finish(name)
        assert self.twin.finish(name)

    def withdraw(self) -> None:
        name = self._any_workload()
        note(f"withdraw {name}")
        self.rows.end(name)
        assert self.state.withdraw(name)
        assert self.twin.withdraw(name)

    def change_priority(self) -> None:
        name, priority = self._any_workload(), self.draw(st.integers(-1, 3))
        changed = self.state.change_priority(name, priority)
        note(f"change the priority of {name} to {priority}: {changed}")
        assert self.twin.change_priority(name, priority) == changed
        if changed:
            self.rows.change_priority(name, priority)

    def deactivate_or_activate(self) -> None:
        name = self._any_workload()
        is_active = self.rows.rows[name].workload.inactive is None
        note(f"{'deactivate' if is_active else 'activate'} {name}")
        for state in (self.state, self.twin):
            assert (state.deactivate if is_active else state.activate)(name)
        (self.rows.deactivate if is_active else self.rows.activate)(name)

    def _any_workload(self) -> str:
        return self.draw(st.sampled_from(sorted(self.rows.rows)))

    def release(self) -> None:
        evicting = sorted(self.state.evicting)
        everybody = self.draw(st.booleans())
        for name in evicting if everybody else [self.draw(st.sampled_from(evicting))]:
            note(f"release {name}")
            assert self.state.release(name)
            self.rows.release(name, self.state.pending[name].yields_to)
            assert self.twin.release(name)

    def hold(self) -> None:
        name = self.draw(st.sampled_from(sorted(self.policy.queues)))
        note(f"hold {name}")
        self.rows.held.add(name)
        self.state.hold(name)
        self.twin.hold(name)

    def resume(self) -> None:
        name = self.rows.held.pop()
        note(f"resume {name}")
        self.state.resume(name)
        self.twin.resume(name)

    def advance(self) -> None:
        self.rows.now += self.draw(st.integers(1, 9))
        note(f"advance to {self.rows.now}")
        self.state.advance(self.rows.now)
        self.twin.advance(self.rows.now)

    def change_policy(self) -> None:
        # Rows cannot represent a partly settled state across a policy change.
        self.settle(1_000_000)
        note("another policy")
        self.policy = self._policy()
        self.rows.version += 1
        self.state.change_policy(self.policy)
        self.twin.change_policy(self.policy)

    # Decisions

    def settle(self, budget: int) -> None:
        """Settle both states, *budget* decisions at a time, and check the invariants."""
        decided: list[Decision] = []
        twins: list[Decision] = []
        for _ in range(MOST_SETTLES):
            if self.state.is_settled and self.twin.is_settled:
                break
            before = _excess(self.state)
            made = self.state.settle(budget)
            note(f"settle {budget}: {[decision_text(each) for each in made]}")
            decided += made
            twins += self.twin.settle(budget)
            _assert_traces(made)
            _assert_rules_restored(self.policy, made)
            self.rows.note(made)
            _assert_limits(before, self.state)
            _assert_usage(self.state)
            is_even = _comparable(decided) == _comparable(twins)
            if not self.state.is_settled and is_even and not self.draw(st.integers(0, 3)):
                self.rebuild()
        assert _comparable(decided) == _comparable(twins)
        assert self.state.is_settled
        assert self.twin.is_settled
        assert self.state.settle() == []
        _assert_preemptors_wait(self.state)
        if not self.draw(st.integers(0, 3)):
            self.rebuild()
            assert self.twin.settle() == []
            assert self.twin.is_settled
        self._assert_rows_match()
        _assert_explain_is_pure(self.state)

    def rebuild(self) -> None:
        """Replace the twin by a state restored from rows."""
        note("rebuild the twin")
        self.twin = self.rows.load(self.policy)

    def _assert_rows_match(self) -> None:
        rows = self.rows.rows
        assert rows.keys() == self.state.pending.keys() | self.state.running.keys()
        for name, running in self.state.running.items():
            row = rows[name]
            stopping = row.outcome is Outcome.PREEMPTED
            assert (row.queue, row.priority or 0, row.assignment, stopping, row.started) == (
                running.queue,
                running.priority,
                running.assignment,
                running.evicting,
                running.started,
            )
            assert self.twin.running[name].started == running.started
        for name, pending in self.state.pending.items():
            row = rows[name]
            assert row.outcome is Outcome.PENDING
            queue = pending.route.queue
            if queue is not None and name not in self.state.queues[queue].preemptors:
                assert row.announced == pending.announced
                assert self.state.pending_class(queue, row.pending_class or "") is not None


def _assert_rules_restored(policy: Policy, decisions: Iterable[Decision]) -> None:
    """A stored trace and the policy of the decision together restore the complete trace."""
    for each in decisions:
        stored = json.loads(json.dumps(trace_to_json(each.trace_without_rules)))
        assert not stored.keys() & {"rules", "priorities"}
        assert with_rules(trace_from_json(stored), policy, each.rule) == each.trace


def _comparable(decisions: Iterable[Decision]) -> list[tuple[object, ...]]:
    """Return decisions sorted, without fields that a restored state may count differently."""
    return sorted(
        (
            each.workload,
            each.outcome.value,
            each.reason,
            each.queue or "",
            -1 if each.priority is None else each.priority,
            -1 if each.rule is None else each.rule,
            repr(each.assignment),
            each.victims,
            each.preemptor or "",
            each.pending_class or "",
        )
        for each in decisions
    )


def _assert_traces(decisions: Iterable[Decision]) -> None:
    for each in decisions:
        outcome = each.trace.outcome
        assert (outcome.outcome, outcome.reason) == (each.outcome, each.reason)


def _cells(state: State) -> dict[tuple[int, FlavorResource], tuple[Node, int]]:
    """Return the available amount of every node, where it is limited."""
    found = {}
    for queue in state.queues.values():
        node: Node | None = queue.account
        while node is not None:
            for key, cell in list(node.cells.items()):
                if not isinstance(cell.available, Unlimited):
                    found[id(node), key] = (node, cell.available)
            node = node.parent
    return found


def _excess(state: State) -> dict[tuple[int, FlavorResource], int]:
    return {at: min(0, available) for at, (_, available) in _cells(state).items()}


def _assert_limits(before: dict[tuple[int, FlavorResource], int], state: State) -> None:
    """No admission exceeds a limit; where usage already exceeds it, the excess does not grow."""
    for at, (node, available) in _cells(state).items():
        assert min(0, available) >= before.get(at, 0), (node.name, at[1])


def _assert_usage(state: State) -> None:
    """Queue usage is the sum of running workloads; cohort usage is the overflow of children."""
    held: dict[str, Counter[FlavorResource]] = {}
    for running in state.running.values():
        if running.queue is not None:
            held.setdefault(running.queue, Counter()).update(running.usage)
    for name, queue in state.queues.items():
        assert dict(state.usage(name)) == {k: v for k, v in held.get(name, {}).items() if v}
        node = queue.account.parent
        while node is not None:
            for key, cell in list(node.cells.items()):
                below = [child.cell(key) for child in node.children]
                assert cell.used == sum(_overflow(each.used, each.local) for each in below)
            node = node.parent


def _overflow(used: int, local: object) -> int:
    return max(0, used - local) if isinstance(local, int) else 0


def _assert_preemptors_wait(state: State) -> None:
    for name in state.queues:
        for preemptor in state.preemptors_in(name):
            assert preemptor.victims
            assert preemptor.victims <= state.evicting


def _assert_explain_is_pure(state: State) -> None:
    def looks() -> object:
        return (
            {name: dict(state.usage(name)) for name in state.queues},
            {n: (p.class_key, p.announced, p.scan) for n, p in state.pending.items()},
            {n: dict(q.pending.classes) for n, q in state.queues.items()},
            state.is_settled,
        )

    before = looks()
    for name in state.pending:
        outcome = state.explain(name).outcome
        assert outcome.outcome is Outcome.PENDING
    for name, running in state.running.items():
        outcome = state.explain(name).outcome
        expected = Outcome.PREEMPTED if running.evicting else Outcome.ADMITTED
        assert (outcome.outcome, outcome.assignment) == (expected, running.assignment)
    assert looks() == before
    assert state.settle() == []


@worlds(60)
@given(draw=draws())
def test_invariants_hold_in_random_worlds(draw: st.DrawFn) -> None:
    story = RandomWorld(draw)
    for _ in range(20):
        story.step()
    story.settle(1_000_000)
