"""Preemption loops end, and ending them changes no other decision."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import event, given, note
from hypothesis import strategies as st

from console.engine.model.policy import Policy
from console.engine.model.preemption_loops import MOST_STOPS, NEVER, is_loop, situation
from console.engine.model.workload import Workload
from console.engine.routing.router import Router
from tests.engine.reference_model import settle as settling
from tests.engine.reference_model.world import Waiting
from tests.engine.reference_model.world import World as Model
from tests.engine.strategies import draws, policies, workloads, worlds
from tests.engine.world_descriptions import policy_lines, workload_line

USAGE = {("spot", "gpu"): 2000}
VICTIM = ("v", {("spot", "gpu"): 1000})


def test_repeated_preemption_request_is_a_loop() -> None:
    ask = situation(USAGE, [VICTIM], {})
    assert situation(dict(USAGE), iter([VICTIM]), {}) == ask
    assert not is_loop(NEVER, "p")
    assert not is_loop({"p": (ask,)}, "p")
    assert is_loop({"p": (ask, ask)}, "p")
    assert not is_loop({"p": (ask, ask)}, "other")


def test_different_preemption_request_is_no_loop() -> None:
    thousandths = (
        situation(USAGE, [VICTIM], {}),
        situation({("spot", "gpu"): 1000}, [VICTIM], {}),
        situation(USAGE, [VICTIM, ("w", {})], {}),
        situation(USAGE, [("v", {("fixed", "gpu"): 1000})], {}),
        situation(USAGE, [VICTIM], {"q": 1}),
        situation(USAGE, [VICTIM], {"q": 2}),
    )
    assert len(set(thousandths)) == len(thousandths)
    assert not is_loop({"p": thousandths}, "p")


def test_preemptions_of_the_preemptor_count_up_to_two() -> None:
    assert situation(USAGE, [VICTIM], {"q": 2}) == situation(USAGE, [VICTIM], {"q": 3})


def test_many_preemptions_by_one_preemptor_count_as_a_loop() -> None:
    told_to_stop = tuple(str(number) for number in range(MOST_STOPS))
    assert is_loop({"p": told_to_stop}, "p")
    assert not is_loop({"p": told_to_stop[1:]}, "p")


@worlds(60)
@given(draw=draws())
def test_ending_loops_changes_no_decision_of_worlds_that_settle(
    draw: st.DrawFn,
) -> None:
    policy = draw(policies(one_tree=True))
    for line in policy_lines(policy):
        note(line)
    plain = Model(policy=policy)
    ending = Model(policy=policy, ends_loops=True)
    sequence = 0
    # Loops of heads without decisions are ended by another rule.
    with patch.object(settling, "_park_heads", return_value=False):
        for _ in range(draw(st.integers(1, 3))):
            for _ in range(draw(st.integers(1, 6))):
                sequence += 1
                submit(draw(workloads(sequence)), policy, plain, ending)
            by_plain_rules = settling.settle(plain)
            settled = settling.settle(ending)
            if not by_plain_rules.is_steady:
                event("a circle")
                return
            assert settled.steps == by_plain_rules.steps
            if any(each.action == "preempt" for each in settled.steps):
                event("preempts")


def submit(workload: Workload, policy: Policy, *models: Model) -> None:
    """Add *workload* as pending to each of *models*; skip it if no rule matches."""
    note(f"submit {workload_line(workload)}")
    route = Router(policy).route(workload)
    if route.queue is None:
        return
    for model in models:
        model.waiting.append(
            Waiting(workload=workload, queue=route.queue, priority=route.priority or 0)
        )
