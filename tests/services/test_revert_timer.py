"""The revert timer of an apply: confirmation, revert and later applies, each exactly once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.configs.errors import StaleVersion
from console.configs.models import ActiveConfig, ConfigVersion, QueueSpec, RevertTimer
from console.configs.services import revert_config as reverting
from console.configs.services.apply_config import apply_config
from console.configs.services.confirm_config import confirm_config
from console.configs.services.revert_config import revert_config
from console.configs.services.revert_unconfirmed import revert_unconfirmed
from console.configs.services.roll_back import roll_back
from console.configs.tasks import revert
from console.errors import BadRequest, Conflict, NotAllowed
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.orgs.services.create_user import create_user
from console.policies.queries import active_version
from console.workloads.models import Event, Intake
from tests.services.conftest import RACERS

FIRST = "resource_queues:\n  - name: a\nscheduling_rules:\n  - resource_queue: a\n"
SECOND = FIRST.replace("a\n", "b\n")
TEN = timedelta(minutes=10)


def applied(owner: Actor) -> ConfigVersion:
    """Apply a second version that waits for confirmation."""
    apply_config(owner, "native", FIRST, "", 0)
    return apply_config(owner, "native", SECOND, "for a time", 1, revert_after=TEN)


def make_due() -> None:
    """Make all timers expire."""
    RevertTimer.objects.update(due_at=timezone.now() - timedelta(seconds=1))


def event_data(kind: str) -> list[dict[str, Any]]:
    """Return the data of the events about configs of one kind, oldest first."""
    rows = Event.objects.filter(type="CONFIG_UPDATED").order_by("pk")
    return [row.data for row in rows if row.data.get("kind") == kind]


def test_the_version_before_comes_back_when_nobody_confirms(owner: Actor) -> None:
    before = timezone.now()
    applied(owner)
    timer = RevertTimer.objects.get()
    assert (timer.version, timer.back_to, timer.author) == (2, 1, owner.name)
    assert TEN <= timer.due_at - before < TEN + timedelta(minutes=1)
    assert event_data("apply")[-1]["reverts_at"] == timer.due_at.isoformat()

    assert revert_unconfirmed() == 0
    make_due()
    revert()
    now = active_version(owner.org)
    assert now is not None
    assert (now.number, now.text, now.kind, now.rolled_back_to, now.via, now.author) == (
        3,
        FIRST,
        "rollback",
        1,
        "timer",
        owner.name,
    )
    assert now.message == "Version 2 was not confirmed in time"
    assert not RevertTimer.objects.exists()
    assert [data["back_to"] for data in event_data("rollback")] == [1]
    assert Intake.objects.filter(kind="policy").count() == 3
    assert revert_unconfirmed() == 0
    assert ConfigVersion.objects.count() == 3


def test_a_confirmed_version_stays(owner: Actor) -> None:
    applied(owner)
    seen = ActiveConfig.objects.get().changed_at
    confirm_config(owner, 2)
    make_due()
    assert revert_unconfirmed() == 0
    assert ActiveConfig.objects.get().number == 2
    # Pages that show the banner compare this.
    assert ActiveConfig.objects.get().changed_at > seen
    assert event_data("confirm") == [{"version": 2, "from": 2, "kind": "confirm"}]
    with pytest.raises(Conflict, match="does not need confirmation"):
        confirm_config(owner, 2)


def test_only_the_version_that_waits_is_confirmed(owner: Actor, editor: Actor) -> None:
    applied(owner)
    with pytest.raises(Conflict):
        confirm_config(owner, 1)
    with pytest.raises(NotAllowed):
        confirm_config(editor, 2)
    with pytest.raises(NotAllowed):
        revert_config(editor, 2, ConfigVersion.Via.API)
    assert RevertTimer.objects.count() == 1


def test_an_unconfirmed_version_can_be_reverted_at_once(owner: Actor) -> None:
    applied(owner)
    version = revert_config(owner, 2, ConfigVersion.Via.PAGE)
    assert (version.number, version.text, version.rolled_back_to, version.via) == (
        3,
        FIRST,
        1,
        "page",
    )
    assert not RevertTimer.objects.exists()
    with pytest.raises(Conflict, match="does not need confirmation"):
        revert_config(owner, 2, ConfigVersion.Via.PAGE)


@pytest.mark.parametrize("how", ["apply", "roll back"])
def test_another_apply_ends_the_timer(how: str, owner: Actor) -> None:
    applied(owner)
    if how == "apply":
        apply_config(owner, "native", FIRST + "# Settled.\n", "", 2)
    else:
        roll_back(owner, 1, 2)
    assert not RevertTimer.objects.exists()
    make_due()
    assert revert_unconfirmed() == 0
    assert ActiveConfig.objects.get().number == 3


def test_a_roll_back_may_wait_to_be_confirmed_too(owner: Actor) -> None:
    applied(owner)
    roll_back(owner, 1, 2, revert_after=TEN)
    timer = RevertTimer.objects.get()
    assert (timer.version, timer.back_to) == (3, 2)
    make_due()
    assert revert_unconfirmed() == 1
    now = active_version(owner.org)
    assert now is not None
    assert (now.number, now.text, now.rolled_back_to) == (4, SECOND, 2)


@pytest.mark.parametrize(
    ("after", "expected", "code"),
    [
        (timedelta(seconds=59), 1, "out_of_range"),
        (timedelta(days=1, seconds=1), 1, "out_of_range"),
        (TEN, 0, "no_version_before"),
    ],
)
def test_an_invalid_time_is_refused(
    after: timedelta, expected: int, code: str, owner: Actor
) -> None:
    if expected:
        apply_config(owner, "native", FIRST, "", 0)
    with pytest.raises(BadRequest) as refused:
        apply_config(owner, "native", SECOND, "", expected, revert_after=after)
    assert [(e.path, e.code) for e in refused.value.errors] == [("revert_after_minutes", code)]
    assert ConfigVersion.objects.count() == expected


def test_a_failed_revert_is_reported_once_and_needs_a_person(owner: Actor) -> None:
    applied(owner)
    make_due()
    # A later release might do this: the old text has another meaning for its queue's name.
    QueueSpec.objects.filter(name="a").update(spec={"cohort_name": "other"})
    assert [revert_unconfirmed(), revert_unconfirmed()] == [0, 0]
    timer = RevertTimer.objects.get()
    assert timer.failed_at is not None
    assert ActiveConfig.objects.get().number == 2
    (event,) = Event.objects.filter(level="ERROR")
    assert event.data == {"version": 2, "from": 2, "back_to": 1, "kind": "revert_failed"}
    confirm_config(owner, 2)
    assert not RevertTimer.objects.exists()


def test_a_timer_that_cannot_fire_does_not_keep_others_from_it(
    owner: Actor, other_org: Organization, outsider: Any
) -> None:
    applied(owner)
    applied(Actor.from_user(other_org, outsider, "owner"))
    make_due()
    RevertTimer.objects.filter(org=owner.org).update(due_at=timezone.now() - timedelta(seconds=9))
    ConfigVersion.objects.filter(org=owner.org, number=2).update(text="resource_queues: 5\n")
    with pytest.raises(RuntimeError, match="no longer compiles"):
        revert()
    assert revert_unconfirmed() == 1
    assert ActiveConfig.objects.get(org=other_org).number == 3
    assert RevertTimer.objects.get().due_at > timezone.now()


def test_a_removed_language_is_reported_too(owner: Actor) -> None:
    applied(owner)
    make_due()
    ConfigVersion.objects.filter(number=1).update(dialect="gone")
    assert revert_unconfirmed() == 0
    assert RevertTimer.objects.get().failed_at is not None


def test_each_organization_has_a_timer_of_its_own(
    owner: Actor, other_org: Organization, outsider: Any
) -> None:
    other = Actor.from_user(other_org, outsider, "owner")
    applied(owner)
    applied(other)
    RevertTimer.objects.filter(org=other_org).update(due_at=timezone.now())
    assert revert_unconfirmed() == 1
    assert ActiveConfig.objects.get(org=owner.org).number == 2
    assert ActiveConfig.objects.get(org=other_org).number == 3
    with pytest.raises(Conflict):
        confirm_config(other, 2)


Race = Callable[[Callable[[int], Any]], list[Any]]


@pytest.fixture
def actors(shared_database: None) -> list[Actor]:
    """Create owners of one organization."""
    org = create_org("here", "Here", owner=None)
    users = [create_user(f"owner{i}@here.example", "correct horse") for i in range(RACERS)]
    return [Actor.from_user(org, user, "owner") for user in users]


def test_one_of_several_sweepers_reverts(race: Race, actors: list[Actor]) -> None:
    applied(actors[0])
    make_due()
    outcomes = race(lambda _: revert_unconfirmed())
    assert sorted(outcomes) == [0] * (RACERS - 1) + [1], outcomes
    assert ConfigVersion.objects.count() == 3
    assert len(event_data("rollback")) == 1


def test_a_timer_and_an_apply_at_the_same_moment_have_one_winner(
    race: Race, actors: list[Actor]
) -> None:
    applied(actors[0])
    make_due()

    def act(number: int) -> Any:
        if number % 2:
            return revert_unconfirmed()
        return apply_config(actors[number], "native", FIRST + f"# {number}\n", "", 2)

    outcomes = race(act)
    wins = [one for one in outcomes if isinstance(one, ConfigVersion) or one == 1]
    assert len(wins) == 1, outcomes
    lost = [one for one in outcomes if one not in wins]
    assert all(one == 0 or isinstance(one, StaleVersion) for one in lost), outcomes
    assert ConfigVersion.objects.count() == 3
    assert not RevertTimer.objects.exists()


def test_a_timer_and_a_confirmation_at_the_same_moment_have_one_winner(
    race: Race, actors: list[Actor]
) -> None:
    applied(actors[0])
    make_due()

    def act(number: int) -> Any:
        return revert_unconfirmed() if number % 2 else confirm_config(actors[number], 2)

    outcomes = race(act)
    kept = [one for one in outcomes if one is None]
    taken = [one for one in outcomes if one == 1]
    assert len(kept) + len(taken) == 1, outcomes
    assert ActiveConfig.objects.get().number == (2 if kept else 3)
    assert (len(event_data("confirm")), len(event_data("rollback"))) == (len(kept), len(taken))


def test_a_confirmation_and_a_revert_at_the_same_moment_have_one_winner(
    race: Race, actors: list[Actor]
) -> None:
    for _ in range(6):
        active = ActiveConfig.objects.get().number
        first = apply_config(actors[0], "native", FIRST + f"# {active}\n", "", active).number
        waiting = apply_config(actors[0], "native", SECOND, "", first, revert_after=TEN).number
        told_before = len(event_data("confirm")), len(event_data("rollback"))

        def act(racer: int, waiting: int = waiting) -> Any:
            if racer % 2:
                return revert_config(actors[racer], waiting, ConfigVersion.Via.PAGE)
            return confirm_config(actors[racer], waiting)

        outcomes = race(act)
        kept = [one for one in outcomes if one is None]
        taken = [one for one in outcomes if isinstance(one, ConfigVersion)]
        lost = [one for one in outcomes if isinstance(one, Exception)]
        assert len(kept) + len(taken) == 1, outcomes
        assert all(isinstance(one, Conflict) for one in lost), outcomes
        assert ActiveConfig.objects.get().number == waiting + len(taken)
        assert not RevertTimer.objects.exists()
        assert (len(event_data("confirm")), len(event_data("rollback"))) == (
            told_before[0] + len(kept),
            told_before[1] + len(taken),
        )


def test_a_revert_that_a_confirmation_overtakes_is_told_so(
    owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    applied(owner)

    def confirmed_meanwhile(actor: Actor, *args: Any, **kwargs: Any) -> Any:
        confirm_config(actor, 2)
        return roll_back(actor, *args, **kwargs)

    monkeypatch.setattr(reverting, "roll_back", confirmed_meanwhile)
    with pytest.raises(Conflict) as refused:
        revert_config(owner, 2, ConfigVersion.Via.PAGE)
    assert (refused.value.code, refused.value.message) == (
        "nothing_to_confirm",
        (
            "Version 2 does not need confirmation: it was confirmed or rolled back, or another "
            "version took its place."
        ),
    )
    assert ActiveConfig.objects.get().number == 2
    assert (len(event_data("confirm")), len(event_data("rollback"))) == (1, 0)
