"""The phases of a workload's life, computed from its stored rows."""

from __future__ import annotations

import pytest

from console.orgs.permissions import Actor
from console.workloads.queries import phases
from console.workloads.queries.phases import phase_history
from console.workloads.services.end_workloads import finish_workloads, release_workloads
from tests.preemption_pair import Settle, preempt_for


def test_each_phase_ends_where_the_next_begins(
    owner: Actor, operator: Actor, settle: Settle
) -> None:
    old, new, _ = preempt_for(owner, operator, operator, settle)
    life = phase_history(old)
    assert [(each.kind, each.reason) for each in life.phases] == [
        ("waiting", "not_evaluated"),
        ("running", "quota_reserved"),
        ("stopping", "preempted_in_queue"),
    ]
    assert life.phases[0].start == old.submitted_at
    assert life.phases[-1].end is None
    for one, following in zip(life.phases, life.phases[1:], strict=False):
        assert one.end == following.start
    release_workloads(owner, [old.uid])
    settle(owner.org)
    finish_workloads(owner, [new.uid])
    settle(owner.org)
    new.refresh_from_db()
    ended = phase_history(new)
    assert [each.kind for each in ended.phases] == ["waiting", "waiting", "running"]
    assert ended.phases[-1].end == new.ended_at
    assert not ended.is_cut


def test_only_the_newest_phases_of_a_long_life_are_read(
    owner: Actor, operator: Actor, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, _, _ = preempt_for(owner, operator, operator, settle)
    monkeypatch.setattr(phases, "MOST_MARKS", 1)
    life = phase_history(old)
    assert (len(life.phases), life.phases[0].kind, life.is_cut) == (1, "stopping", True)
