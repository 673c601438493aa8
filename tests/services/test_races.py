"""Races: concurrent equal requests take effect once."""

from __future__ import annotations

import pytest

from console.configs.errors import StaleVersion
from console.configs.models import ActiveConfig, ConfigVersion, Draft, ImpactRun, QueueSpec
from console.configs.services import begin_draft
from console.configs.services.apply_config import apply_config
from console.configs.services.find_impact import find_impact
from console.errors import Conflict
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.orgs.services.create_user import create_user
from console.workloads.models import Event, IdempotentAnswer, Intake, LabelSet, QueueHold, Workload
from console.workloads.services.hold_queue import hold_queue
from console.workloads.services.submit_once import submit_once
from console.workloads.services.submit_workloads import Submission, submit_workloads
from tests.services.conftest import RACERS

TEXT = "resource_queues:\n  - name: q%d\nscheduling_rules:\n  - resource_queue: q%d\n"


@pytest.fixture
def actors(shared_database) -> list[Actor]:
    """Create owners of one organization."""
    org = create_org("here", "Here", owner=None)
    users = [create_user(f"owner{i}@here.example", "correct horse") for i in range(RACERS)]
    return [Actor.from_user(org, user, "owner") for user in users]


def test_one_of_several_concurrent_applies_wins(race, actors):
    for base in range(4):
        outcomes = race(
            lambda i, base=base: apply_config(
                actors[i], "native", TEXT % (i + 10 * base, i + 10 * base), f"by {i}", base
            )
        )
        winners = [one for one in outcomes if isinstance(one, ConfigVersion)]
        losers = [one for one in outcomes if isinstance(one, StaleVersion)]
        assert (len(winners), len(losers)) == (1, RACERS - 1), outcomes
        for loser in losers:
            assert (loser.expected, loser.active) == (base, base + 1)
            assert [version.number for version in loser.newer] == [base + 1]
        assert ConfigVersion.objects.get(number=base + 1).message == winners[0].message
    assert ConfigVersion.objects.count() == 4
    assert ActiveConfig.objects.get().number == 4
    assert QueueSpec.objects.count() == 4
    assert Intake.objects.filter(kind="policy").count() == 4
    assert Event.objects.filter(type="CONFIG_UPDATED").count() == 4


def test_one_key_submits_once(race, actors):
    work = [Submission(name=f"w{i}", tags={"team": "a"}) for i in range(50)]
    outcomes = race(lambda _: submit_once(actors[0], "key", work))
    assert all(outcome == outcomes[0] for outcome in outcomes), outcomes
    assert outcomes[0] == list(Workload.objects.order_by("pk").values_list("uid", flat=True))
    assert (IdempotentAnswer.objects.count(), Intake.objects.count()) == (1, 1)
    assert Event.objects.count() == 50


def test_new_labels_become_one_row(race, actors):
    work = [Submission(name=f"w{i}", tags={"team": str(i % 3)}) for i in range(30)]
    outcomes = race(lambda i: submit_workloads(actors[i], work))
    assert all(isinstance(outcome, list) for outcome in outcomes), outcomes
    assert LabelSet.objects.count() == 3
    assert Workload.objects.count() == 30 * RACERS
    for intake in Intake.objects.all():
        assert intake.size == len(intake.payload["ids"]) == 30


def test_new_labels_in_any_order_wait_for_each_other_in_one(race, actors):
    for attempt in range(5):
        work = [Submission(name=f"w{i}", tags={"run": f"{attempt}-{i}"}) for i in range(300)]
        outcomes = race(lambda i, work=work: submit_workloads(actors[i], work[:: i % 2 * 2 - 1]))
        assert all(isinstance(outcome, list) for outcome in outcomes), outcomes
    assert LabelSet.objects.count() == 1500


def test_a_queue_is_held_once(race, actors):
    apply_config(actors[0], "native", TEXT % (0, 0), "", 0)
    outcomes = race(lambda i: hold_queue(actors[i], "q0", f"reason {i}"))
    assert all(isinstance(outcome, QueueHold) for outcome in outcomes), outcomes
    assert QueueHold.objects.count() == 1
    # Each hold has its own reason, and pages of the queue show all of them.
    assert Intake.objects.filter(kind="hold").count() == RACERS


def test_one_question_asked_at_once_has_one_run(race, actors):
    ends = race(lambda i: find_impact(actors[i], "native", TEXT % (1, 1)))
    assert {getattr(end, "pk", end) for end in ends} == {ImpactRun.objects.get().pk}


def test_drafts_begun_at_once_stay_within_their_bound(race, actors, monkeypatch):
    monkeypatch.setattr(begin_draft, "MOST_DRAFTS", 2)
    ends = race(lambda i: begin_draft.begin_draft(actors[i], "native", "", 0))
    assert Draft.objects.count() == 2, ends
    refused = [end.code for end in ends if isinstance(end, Conflict)]
    assert refused == ["too_many_drafts"] * (RACERS - 2)
