"""The engine makes the same decisions as the reference model, cycle by cycle."""

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
from tests.engine.reference_model.settle import clear_queue_memory, release, retry
from tests.engine.reference_model.world import Waiting
from tests.engine.reference_model.world import World as Model
from tests.engine.strategies import draws, policies, workloads, worlds
from tests.engine.world_descriptions import policy_lines, workload_line

#: Engine reasons of preemption -> reasons in the reference model.
MODEL_REASONS = {
    "preempted_in_queue": "InClusterQueue",
    "reclaimed_in_cohort": "InCohortReclamation",
    "reclaimed_while_borrowing": "InCohortReclaimWhileBorrowing",
    "preempted_for_fair_share": "InCohortFairSharing",
}

#: (workload, action, preemptor or assignment)
Action = tuple[str, str, Hashable]


class EndlessLoopError(Exception):
    """The engine parked heads in a loop without decisions; the model has no rule for that."""


class EngineAndModel:
    """
    One tree of queues in the engine and in the reference model, with the same random events.

    Preempted workloads stop after each cycle. If events occur only between settles, a third
    state that skips hopeless nominations, as `settle` does, must make the same decisions.
    """

    def __init__(self, draw: st.DrawFn, policy: Policy) -> None:
        self.draw = draw
        self.state = State(policy)
        self.model = Model(policy=policy, reserves_victim_quota=True, ends_loops=True)
        self.is_quiet = draw(st.booleans())
        self.skipping_state = State(policy)
        self.made: Counter[Action] = Counter()
        self.submitted = 0
        #: Number of events still allowed during cycles.
        self.left = 12

    def submit(self) -> None:
        for _ in range(self.draw(st.integers(1, 4))):
            self.submitted += 1
            self._submit(self.draw(workloads(self.submitted)))

    def _submit(self, workload: Workload) -> None:
        note(f"submit {workload_line(workload)}")
        self.state.submit(workload)
        self.skipping_state.submit(workload)
        route = self.state._router.route(workload)
        if route.queue is None:
            return  # Without a rule it is rejected, without rules it runs; the model has queues.
        waiting = Waiting(workload=workload, queue=route.queue, priority=route.priority or 0)
        # An equal workload is already inadmissible, and nothing has changed since (spec 3.5).
        waiting.is_inadmissible = any(
            each.is_inadmissible and is_alike(self.model, each, waiting)
            for each in self.model.waiting
        )
        self.model.waiting.append(waiting)

    def end(self) -> None:
        name = self.draw(st.sampled_from(sorted(self.state.running)))
        note(f"finish {name}")
        self.state.finish(name)
        self.skipping_state.finish(name)
        for running in [each for each in self.model.running if each.id == name]:
            self.model.running.remove(running)
            self.model.generation[running.queue] += 1
            retry(self.model, running.queue)

    def run(self) -> None:
        """Run cycles until nothing changes, with the queue memory cleared in between."""
        self.made.clear()
        self.cycles()
        while True:
            clear_queue_memory(self.model)
            self.state.requeue()
            if not self.cycles():
                break
        if self.is_quiet:
            assert settle_skipping(self.skipping_state) == self.made

    def cycles(self) -> bool:
        """Run cycles until nothing changes, with random events; return whether any decided."""
        decided = False
        while not self.state.is_settled:
            decided = self.cycle() or decided
            if not self.is_quiet and self.left and self.draw(st.integers(0, 5)) == 5:
                self.random_event()
        return decided

    def random_event(self) -> None:
        """Apply a random event."""
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
        note(f"cycle {self.model.cycle}: engine {sorted(engine_actions(made))}")
        note(f"cycle {self.model.cycle}: model {sorted(model_actions(result))}")
        assert engine_actions(made) == model_actions(result)
        self.made.update(engine_actions(made))
        for name in sorted(self.state.evicting):
            self.state.release(name)
        for running in [each for each in self.model.running if each.is_evicted]:
            release(self.model, running)
        self._compare_lists()
        decided = bool(model_actions(result))
        self._check_loops()
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

    def _check_loops(self) -> None:
        """Raise EndlessLoopError if the engine parked heads that repeat the same nominations."""
        for queue in self.state.queues.values():
            for cls in queue.pending.classes.values():
                turn = cls.verdict.turn if cls.verdict is not None else None
                if turn is not None and turn.verdict is TurnVerdict.CIRCLE:
                    raise EndlessLoopError


def settle_skipping(state: State) -> Counter[Action]:
    """Settle *state*, skipping hopeless nominations, and return its actions."""
    made: Counter[Action] = Counter()
    rested = False
    while not rested:
        rested = True
        while not state.is_settled:
            facts = engine_actions(state.step(skipping=True))
            made.update(facts)
            rested = rested and not facts
            for name in sorted(state.evicting):
                state.release(name)
        state.requeue()
    while not state.is_settled:
        made.update(engine_actions(state.step(skipping=True)))
    return made


def engine_actions(decisions: list[Decision]) -> set[Action]:
    """Return the admissions and preemptions of the engine, without other decisions."""
    facts: set[Action] = set()
    for each in decisions:
        if each.outcome is Outcome.ADMITTED and each.queue is not None:
            facts.add((each.workload, "admitted", _assignment_key(each.assignment)))
        elif each.outcome is Outcome.PREEMPTED:
            facts.add((each.workload, MODEL_REASONS[each.reason], each.preemptor))
    return facts


def model_actions(result: CycleResult) -> set[Action]:
    """Return the admissions and preemptions of the reference model."""
    facts: set[Action] = {
        (each.id, "admitted", _assignment_key(each.assignment)) for each in result.admitted
    }
    for preemptor, victims in result.preempted.items():
        facts |= {(name, reason, preemptor) for name, reason in victims.items()}
    return facts


def _assignment_key(assignment: object) -> Hashable:
    return tuple(
        (each.name, each.count, tuple(sorted(each.flavors.items()))) for each in assignment
    )


@worlds(40)
@given(draw=draws())
def test_every_cycle_of_a_random_tree_is_that_of_the_model(draw: st.DrawFn) -> None:
    policy = draw(policies(one_tree=True))
    for line in policy_lines(policy):
        note(line)
    both = EngineAndModel(draw, policy)
    try:
        while both.left:
            both.random_event()
            both.run()
    except EndlessLoopError:
        event("goes round")
