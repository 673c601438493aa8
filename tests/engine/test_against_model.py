"""The fast engine decides, cycle by cycle, what the slow model decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from hypothesis import event, given, note
from hypothesis import strategies as st

from console.engine.model.decision import Decision, Outcome
from console.engine.model.policy import Policy
from console.engine.model.trace import TurnVerdict
from console.engine.model.workload import Workload
from console.engine.state import State
from tests.engine.reference_model.cycle import CycleResult, is_alike, run_cycle
from tests.engine.reference_model.settle import forget, release, retry
from tests.engine.reference_model.world import Waiting
from tests.engine.reference_model.world import World as Model
from tests.engine.strategies import draws, policies, workloads, worlds
from tests.engine.world_descriptions import told, told_policy

#: The engine's reasons for stopping somebody, in the model's words.
RIGHTS = {
    "preempted_in_queue": "InClusterQueue",
    "reclaimed_in_cohort": "InCohortReclamation",
    "reclaimed_while_borrowing": "InCohortReclaimWhileBorrowing",
    "preempted_for_fair_share": "InCohortFairSharing",
}

#: (workload, what happened, for whom or with what)
Fact = tuple[str, str, Hashable]


class GoesRoundError(Exception):
    """The lines came back to where they were: what follows is the engine's own business."""


class Both:
    """
    One tree of queues, told the same facts twice; who has to stop stops after each cycle.

    Where facts come only while everything rests, a third that passes over hopeless
    turns, as `settle` does, has to come to the same decisions.
    """

    def __init__(self, draw: st.DrawFn, policy: Policy) -> None:
        self.draw = draw
        self.state = State(policy)
        self.model = Model(policy=policy, keeps_capacity=True, ends_circles=True)
        self.is_quiet = draw(st.booleans())
        self.hasty = State(policy)
        self.made: Counter[Fact] = Counter()
        self.submitted = 0
        #: How much may happen yet.
        self.left = 12

    def submit(self) -> None:
        for _ in range(self.draw(st.integers(1, 4))):
            self.submitted += 1
            self._submit(self.draw(workloads(self.submitted)))

    def _submit(self, workload: Workload) -> None:
        note(f"submit {told(workload)}")
        self.state.submit(workload)
        self.hasty.submit(workload)
        route = self.state._router.route(workload)
        if route.queue is None:
            return  # Without a rule it is rejected, without rules it runs; the model has queues.
        waiting = Waiting(workload=workload, queue=route.queue, priority=route.priority or 0)
        # Nothing has changed since its like was looked at (spec 3.5).
        waiting.is_inadmissible = any(
            each.is_inadmissible and is_alike(self.model, each, waiting)
            for each in self.model.waiting
        )
        self.model.waiting.append(waiting)

    def end(self) -> None:
        name = self.draw(st.sampled_from(sorted(self.state.running)))
        note(f"finish {name}")
        self.state.finish(name)
        self.hasty.finish(name)
        for running in [each for each in self.model.running if each.id == name]:
            self.model.running.remove(running)
            self.model.generation[running.queue] += 1
            retry(self.model, running.queue)

    def run(self) -> None:
        """Run cycles to the end, then once more without memory."""
        self.made.clear()
        self.cycles()
        while True:
            forget(self.model)
            self.state.requeue()
            if not self.cycles():
                break
        if self.is_quiet:
            assert hurried(self.hasty) == self.made

    def cycles(self) -> bool:
        """Run cycles until nothing changes, with more facts now and then; say what came of it."""
        decided = False
        while not self.state.is_settled:
            decided = self.cycle() or decided
            if not self.is_quiet and self.left and self.draw(st.integers(0, 5)) == 5:
                self.act()
        return decided

    def act(self) -> None:
        """Let something happen."""
        self.left -= 1
        facts = [self.submit] * 2
        if self.state.running:
            facts.append(self.end)
        self.draw(st.sampled_from(facts))()

    def cycle(self) -> bool:
        made = self.state.step()
        gone = {each.workload for each in made if each.outcome is Outcome.REJECTED}
        self.model.waiting = [each for each in self.model.waiting if each.id not in gone]
        result = run_cycle(self.model)
        note(f"cycle {self.model.cycle}: engine {sorted(acted(made))}")
        note(f"cycle {self.model.cycle}: model {sorted(decided_by(result))}")
        assert acted(made) == decided_by(result)
        self.made.update(acted(made))
        for name in sorted(self.state.evicting):
            self.state.release(name)
        for running in [each for each in self.model.running if each.is_evicted]:
            release(self.model, running)
        self._compare_lists()
        decided = bool(decided_by(result))
        self._watch()
        return decided

    def _compare_lists(self) -> None:
        runs = {
            (name, each.queue)
            for name, each in self.state.running.items()
            if each.queue is not None
        }
        waits = {
            (name, each.route.queue)
            for name, each in self.state.pending.items()
            if each.route.queue is not None
        }
        assert runs == {(each.id, each.queue) for each in self.model.running}
        known = {(each.id, each.queue) for each in self.model.waiting}
        assert waits <= known

    def _watch(self) -> None:
        """Stop where the engine parked heads that would take the same turns for ever."""
        for queue in self.state.queues.values():
            for cls in queue.pending.classes.values():
                turn = cls.verdict.turn if cls.verdict is not None else None
                if turn is not None and turn.verdict is TurnVerdict.CIRCLE:
                    raise GoesRoundError


def hurried(state: State) -> Counter[Fact]:
    """Run *state* to rest, with hopeless turns passed over, and return what it did."""
    made: Counter[Fact] = Counter()
    rested = False
    while not rested:
        rested = True
        while not state.is_settled:
            facts = acted(state.step(skipping=True))
            made.update(facts)
            rested = rested and not facts
            for name in sorted(state.evicting):
                state.release(name)
        state.requeue()
    while not state.is_settled:
        made.update(acted(state.step(skipping=True)))
    return made


def acted(decisions: list[Decision]) -> set[Fact]:
    """Return what the engine did, without what it only said."""
    facts: set[Fact] = set()
    for each in decisions:
        if each.outcome is Outcome.ADMITTED and each.queue is not None:
            facts.add((each.workload, "admitted", _written(each.assignment)))
        elif each.outcome is Outcome.PREEMPTED:
            facts.add((each.workload, RIGHTS[each.reason], each.preemptor))
    return facts


def decided_by(result: CycleResult) -> set[Fact]:
    """Return what the model did."""
    facts: set[Fact] = {
        (each.id, "admitted", _written(each.assignment)) for each in result.admitted
    }
    for preemptor, victims in result.preempted.items():
        facts |= {(name, reason, preemptor) for name, reason in victims.items()}
    return facts


def _written(assignment: object) -> Hashable:
    return tuple(
        (each.name, each.count, tuple(sorted(each.flavors.items()))) for each in assignment
    )


@worlds(40)
@given(draw=draws())
def test_every_cycle_of_a_random_tree_is_that_of_the_model(draw: st.DrawFn) -> None:
    policy = draw(policies(one_tree=True))
    for line in told_policy(policy):
        note(line)
    both = Both(draw, policy)
    try:
        while both.left:
            both.act()
            both.run()
    except GoesRoundError:
        event("goes round")
