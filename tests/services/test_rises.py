"""The times at which queues rose above their own quota, recorded by the engine."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from console.configs.services.apply_config import apply_config
from console.dialects import dialects
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.queries.cohorts import cohort_view
from console.workloads.queries.over_quota import OverQuotaMark, over_quota_since_of
from console.workloads.services import run_engine
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.services.test_cohort_accounts import gpus

#: speech owns 8 reserved GPUs, and vision 16, of which it lends 12.
TWO_TEAMS = dialects()["kueue"].samples()["Two teams share one cohort"]
GPUS = ("speech", "reserved", "nvidia.com/gpu")


@pytest.fixture
def hour(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], datetime]:
    """Return a function that sets the engine's clock to *hours* after noon."""
    noon = datetime(2026, 9, 1, 12, tzinfo=UTC)

    class Clock:
        now = staticmethod(lambda: moment)

    moment = noon

    def at(hours: int) -> datetime:
        nonlocal moment
        moment = noon + timedelta(hours=hours)
        return moment

    monkeypatch.setattr(run_engine, "timezone", Clock)
    return at


def test_a_loan_begins_when_a_queue_rises_above_what_it_owns(
    org: Organization,
    owner: Actor,
    settle: Callable[[Organization], int],
    hour: Callable[[int], datetime],
) -> None:
    apply_config(owner, "kueue", TWO_TEAMS, "", 0)
    settle(org)

    def submit(name: str, count: int) -> str:
        (made,) = submit_workloads(owner, read_submissions([gpus("speech", name, count)]))
        settle(org)
        return made.uid

    hour(1)
    own = submit("own", 8)
    assert over_quota_since_of(org) == {}

    began = hour(2)
    extra = submit("extra", 4)
    assert over_quota_since_of(org) == {GPUS: OverQuotaMark(began, 1)}
    assert cohort_view(org, "research").over_quota_since == {GPUS: OverQuotaMark(began, 1)}

    # Usage grows and shrinks, but stays above the own quota all the time.
    hour(3)
    more = submit("more", 4)
    finish_workloads(owner, [extra])
    settle(org)
    assert over_quota_since_of(org, "speech") == {GPUS: OverQuotaMark(began, 1)}
    assert over_quota_since_of(org, "vision") == {}

    hour(4)
    finish_workloads(owner, [own])
    settle(org)
    assert over_quota_since_of(org) == {}
    again = hour(5)
    submit("again", 8)
    assert over_quota_since_of(org) == {GPUS: OverQuotaMark(again, 1)}
    finish_workloads(owner, [more])
    settle(org)
    assert over_quota_since_of(org) == {}


def test_a_config_that_takes_quota_away_leaves_a_queue_above_it(
    org: Organization,
    owner: Actor,
    settle: Callable[[Organization], int],
    hour: Callable[[int], datetime],
) -> None:
    apply_config(owner, "kueue", TWO_TEAMS, "", 0)
    settle(org)
    hour(1)
    submit_workloads(owner, read_submissions([gpus("speech", "own", 8)]))
    settle(org)
    lowered = hour(2)
    less = TWO_TEAMS.replace("nominalQuota: 8 }", "nominalQuota: 2 }")
    assert less != TWO_TEAMS
    apply_config(owner, "kueue", less, "", 1)
    settle(org)
    assert over_quota_since_of(org) == {GPUS: OverQuotaMark(lowered, 2)}
    hour(3)
    apply_config(owner, "kueue", TWO_TEAMS, "", 2)
    settle(org)
    assert over_quota_since_of(org) == {}


def test_rises_are_separate_by_organization(
    org: Organization,
    owner: Actor,
    other_org: Organization,
    settle: Callable[[Organization], int],
) -> None:
    apply_config(owner, "kueue", TWO_TEAMS, "", 0)
    submit_workloads(owner, read_submissions([gpus("speech", "wide", 12)]))
    settle(org)
    assert list(over_quota_since_of(org)) == [GPUS]
    assert over_quota_since_of(other_org) == {}
