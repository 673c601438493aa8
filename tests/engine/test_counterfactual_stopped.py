"""An interrupted search for changes reports what is proven and what is untried."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, pairwise

import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

from console.engine.counterfactual import find_changes
from console.engine.disciplines.quota import classical
from console.engine.disciplines.quota.spec import PreemptionRule
from console.engine.explain.changes import cut_sentence
from console.engine.state import State
from tests.engine.builders import World, queue
from tests.engine.strategies import draws, worlds
from tests.engine.test_counterfactual_laws import ReplayableWorld


def stop_after(checks: int) -> Callable[[], bool]:
    """Return a stop function that is true after *checks* calls."""
    asked = count()
    return lambda: next(asked) >= checks


def count_checks(state: State, uid: str) -> int:
    """Return how often a complete search calls its stop function."""
    asked = count()

    def never() -> bool:
        next(asked)
        return False

    find_changes(state, uid, should_stop=never)
    return next(asked)


@given(draws())
@worlds(60)
def test_interrupted_search_reports_only_proven_results(draw: st.DrawFn) -> None:
    story = ReplayableWorld(draw)
    waiting = sorted(story.state.pending)
    assume(waiting)
    uid = draw(st.sampled_from(waiting))
    whole = find_changes(story.state, uid)
    checks = draw(st.integers(0, count_checks(story.state, uid)))
    found = find_changes(story.state, uid, should_stop=stop_after(checks))
    note(f"{uid}, stopped after {checks}: {found}")
    # An interrupted search reports only changes and refutations of the complete search.
    assert set(found.changes) <= set(whole.changes)
    assert set(found.in_vain) <= set(whole.in_vain)
    if not found.is_cut:
        assert found == whole
    assert found.evaluations <= whole.evaluations
    # The state is unchanged, even if the search was interrupted within a cycle.
    assert find_changes(story.state, uid) == whole
    assert find_changes(story.replay(), uid) == whole


@pytest.fixture
def crowded() -> World:
    """Return two queues of one cohort that preempt each other, with a pending workload z."""
    world = World(
        queue("train").owns(gpu=2).within("all").preempts(borrow=PreemptionRule.LOWER_PRIORITY),
        queue("eval").owns(gpu=6).within("all").preempts(borrow=PreemptionRule.LOWER_PRIORITY),
    )
    world.submit(*(f"t{number}" for number in range(4)), gpu=1, priority=9)
    world.submit(*(f"e{number}" for number in range(4)), to="eval", gpu=1, priority=9)
    world.settle()
    world.submit("z", gpu=4, priority=1)
    world.settle()
    return world


def test_search_interrupted_at_once_has_no_results(crowded: World) -> None:
    whole = find_changes(crowded.state, "z")
    found = find_changes(crowded.state, "z", should_stop=lambda: True)
    assert (found.changes, found.in_vain, found.tried) == ((), (), 0)
    assert found.untried == whole.tried + whole.untried
    assert found.is_cut


def test_later_interruption_tries_more_and_keeps_results(crowded: World) -> None:
    """A search that is interrupted later tries more candidates, and keeps all its results."""
    told = [
        find_changes(crowded.state, "z", should_stop=stop_after(checks))
        for checks in range(count_checks(crowded.state, "z") + 1)
    ]
    assert [each.tried for each in told] == sorted(each.tried for each in told)
    for before, behind in pairwise(told):
        assert set(before.changes) <= set(behind.changes)
    assert not told[-1].is_cut


def test_borrowing_workload_skips_hopeless_target_searches(
    crowded: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    real = classical.Candidates.__init__

    def counted(self: classical.Candidates, search: classical.Search) -> None:
        begun.append(search.asker)
        real(self, search)

    monkeypatch.setattr(classical.Candidates, "__init__", counted)
    # No workload of lower priority runs, so there are no candidates.
    crowded.submit("y", gpu=4, priority=2)
    assert crowded.settle() == ["y: pending (waiting_for_quota)"]
    assert begun == []


def test_sentence_of_a_cut_search_claims_nothing_about_the_rest() -> None:
    assert cut_sentence(12, 28) == (
        "12 of 40 candidates tried; the effect of the others is unknown."
    )
