"""In random worlds, each proposed change admits the workload at the stated cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from hypothesis import assume, given, note
from hypothesis import strategies as st

from console.engine.counterfactual import BUDGET, find_changes
from console.engine.counterfactual.change import Change, ChangeKind, Setting
from console.engine.disciplines.quota.ledger import Node
from console.engine.disciplines.quota.quota_changes import with_quota
from console.engine.disciplines.quota.setting_changes import with_setting
from console.engine.model.amounts import Unlimited
from console.engine.model.policy import Policy
from console.engine.model.workload import PODS, Workload
from console.engine.state import State
from tests.engine.builders import decision_text
from tests.engine.strategies import draws, policies, workloads, worlds
from tests.engine.world_descriptions import policy_lines, workload_line


class ReplayableWorld:
    """A settled random world whose events can be replayed into new states."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.policy = draw(policies())
        for line in policy_lines(self.policy):
            note(line)
        self.facts: list[Callable[[State], object]] = []
        self.sequence = 0
        state = State(self.policy)
        for _ in range(draw(st.integers(2, 8))):
            for _ in range(draw(st.integers(1, 3))):
                self.sequence += 1
                self._record(state, "submit", draw(workloads(self.sequence)))
            self._record(state, "settle")
            if state.evicting and draw(st.booleans()):
                self._record(state, "release", draw(st.sampled_from(sorted(state.evicting))))
                self._record(state, "settle")
        if draw(st.integers(0, 9)) == 9:
            self._record(state, "hold", draw(st.sampled_from(sorted(self.policy.queues))))
            self._record(state, "settle")
        self.state = state

    def replay(self) -> State:
        """Return a new state with the same events."""
        state = State(self.policy)
        for fact in self.facts:
            fact(state)
        return state

    def alone(self, uid: str) -> State:
        """Return a new state with one of the pending workloads alone."""
        state = State(self.policy)
        state.submit(self.state.pending[uid].workload)
        state.settle()
        return state

    def _record(self, state: State, verb: str, *args: object) -> None:
        texts = [workload_line(a) if isinstance(a, Workload) else str(a) for a in args]
        note(f"{verb} {' '.join(texts)}")

        def fact(told_to: State) -> object:
            return getattr(told_to, verb)(*args)

        self.facts.append(fact)
        fact(state)


@given(draws())
@worlds(100)
def test_every_change_admits_the_workload_at_its_stated_cost(draw: st.DrawFn) -> None:
    story = ReplayableWorld(draw)
    waiting = sorted(
        uid for uid, each in story.state.pending.items() if each.route.queue is not None
    )
    assume(waiting)
    uid = draw(st.sampled_from(waiting))
    before = _observe(story.state)
    found = find_changes(story.state, uid)
    note(f"{uid}: {found}")
    assert _observe(story.state) == before
    assert story.state.is_settled
    assert story.state.settle() == []
    assert found.evaluations <= BUDGET
    assert found == find_changes(story.replay(), uid)
    kinds = list(ChangeKind)
    order = [kinds.index(each.kind) for each in found.changes]
    assert order == sorted(order)
    for change in found.changes:
        note(str(change))
        started = _apply(story, uid, change)
        assert started is not None, "it does not start"
        assert started.losers == set(change.who_loses) or change.kind is ChangeKind.WAIT
        smaller = _cheaper(change)
        # With more quota, other workloads may take all of the addition.
        if smaller is not None and not (change.kind is ChangeKind.QUOTA and started.others):
            note(f"smaller: {smaller}")
            assert _apply(story, uid, smaller) is None, "a smaller change does as well"
        for some in _with_one_fewer(change):
            # With fewer finished workloads it may be entitled to preempt instead.
            spared = _apply(story, uid, some)
            assert spared is None or spared.losers, "one of them can be spared"


class Admission(NamedTuple):
    """The workload is admitted: the workloads preempted for it, and others that start too."""

    losers: set[str]
    others: set[str]


def _apply(story: ReplayableWorld, uid: str, change: Change) -> Admission | None:
    """Apply *change* to a replayed state; return None if the workload stays pending."""
    state = story.alone(uid) if change.is_later else story.replay()
    stopping = set(state.evicting)
    _apply_to_state(story, state, uid, change)
    told: set[str] = set()
    for _ in range(4):
        note(f"  {[decision_text(each) for each in state.settle()]}")
        told |= state.evicting - stopping
        if uid in state.evicting:
            return None
        if uid in state.running:
            others = {each for each in story.state.pending if each in state.running}
            return Admission(_losers(story, state, told, uid), others - {uid})
        if uid not in state.pending:
            return None
        queue = state.queue_of(uid)
        assert queue is not None
        victims = next(
            (
                each.victims
                for each in state.preemptors_in(queue)
                if each.pending.workload.id == uid
            ),
            set(),
        )
        if not victims:
            return None
        told |= victims
        for each in sorted(victims):
            state.release(each)
    return None


def _losers(story: ReplayableWorld, state: State, told: set[str], uid: str) -> set[str]:
    """
    Return those of *told* that lose their quota because of *uid*.

    A workload that starts only after the change and is preempted again loses nothing.
    Preemptions in other trees are not caused by *uid*.
    """
    tree = state.queues[state.running[uid].queue or ""].tree
    ran = story.state.running
    return {
        each for each in told if each in ran and state.queues[ran[each].queue or ""].tree is tree
    }


def _apply_to_state(story: ReplayableWorld, state: State, uid: str, change: Change) -> None:
    workload = state.pending[uid].workload
    match change.kind:
        case ChangeKind.WAIT:
            for each in change.workloads:
                state.release(each)
        case ChangeKind.FINISH:
            for each in change.workloads:
                state.finish(each)
        case ChangeKind.RESUME:
            state.resume(change.queue or "")
        case ChangeKind.QUOTA | ChangeKind.POLICY:
            state.change_policy(_changed_policy(story.policy, state, change))
        case ChangeKind.ASK_LESS | ChangeKind.LABEL | ChangeKind.PRIORITY:
            state.withdraw(uid)
            changed = _changed_workload(workload, change)
            state.submit(replace(changed, sequence=story.sequence + 1))


def _changed_workload(workload: Workload, change: Change) -> Workload:
    if change.kind is ChangeKind.PRIORITY:
        assert isinstance(change.to, int)
        return replace(workload, priority=change.to)
    if change.kind is ChangeKind.LABEL:
        labels = dict(workload.labels)
        labels.pop(change.subject, None)
        if change.to is not None:
            labels[change.subject] = str(change.to)
        return replace(workload, labels=labels)
    name = change.pod_set or workload.pod_sets[0].name
    assert isinstance(change.to, int)
    pod_sets = []
    for each in workload.pod_sets:
        if each.name != name:
            pod_sets.append(each)
        elif change.subject == PODS:
            fewest = each.min_count and min(each.min_count, change.to)
            pod_sets.append(replace(each, count=change.to, min_count=fewest))
        else:
            requests = {**each.requests, change.subject: change.to}
            pod_sets.append(replace(each, requests=requests))
    return replace(workload, pod_sets=tuple(pod_sets))


def _changed_policy(policy: Policy, state: State, change: Change) -> Policy:
    name = change.queue or ""
    if change.kind is ChangeKind.POLICY:
        return with_setting(policy, name, Setting(change.subject), change.to)
    node: Node = state.ledger.queue(name) if name in policy.queues else state.ledger.cohort(name)
    flavor, resource = change.subject.split("/")
    assert isinstance(change.to, int | Unlimited)
    return with_quota(policy, node, (flavor, resource), change.number, change.to)


def _cheaper(change: Change) -> Change | None:
    """Return a cheaper change of the same kind, or None if there is none."""
    before, after = change.from_, change.to
    if change.kind is ChangeKind.PRIORITY:
        assert isinstance(after, int)
        return replace(change, to=after - 1)
    if not isinstance(before, int) or not isinstance(after, int):
        return None
    step = 1 if change.subject == PODS else 1000
    if change.kind is ChangeKind.ASK_LESS and after + step < before:
        return replace(change, to=after + step)
    if change.kind is ChangeKind.QUOTA and after - step > before:
        return replace(change, to=after - step)
    return None


def _with_one_fewer(change: Change) -> list[Change]:
    if change.kind is not ChangeKind.FINISH or len(change.workloads) == 1:
        return []
    return [
        replace(change, workloads=tuple(each for each in change.workloads if each != left_out))
        for left_out in change.workloads
    ]


def _observe(state: State) -> object:
    return (
        {uid: state.explain(uid) for uid in state.pending},
        {uid: (each.evicting, each.reason, each.usage) for uid, each in state.running.items()},
        {name: dict(state.usage(name)) for name in state.queues},
        set(state.evicting),
        state.next_reservation,
    )
