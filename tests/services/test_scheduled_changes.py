"""Scheduled changes: temporary quotas end by themselves, texts are applied at a time, each once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.configs.errors import ApprovalRequired, ConsequencesNotAccepted, StaleVersion
from console.configs.models import ActiveConfig, ConfigVersion, Draft, RevertTimer, ScheduledChange
from console.configs.queries import coming_changes, get_scheduled
from console.configs.services import carry_out_changes as carrying
from console.configs.services.apply_config import apply_config
from console.configs.services.begin_draft import begin_draft
from console.configs.services.carry_out_changes import carry_out_due, carry_out_now
from console.configs.services.change_numbers import change_numbers, submit_numbers
from console.configs.services.confirm_config import confirm_config
from console.configs.services.decide_review import decide_review
from console.configs.services.discard_draft import discard_draft
from console.configs.services.propose_numbers import NumberChange
from console.configs.services.request_review import request_review
from console.configs.services.reschedule_change import cancel_change, reschedule_change
from console.configs.services.roll_back import roll_back
from console.configs.services.save_draft import save_draft
from console.configs.services.schedule_apply import schedule_apply
from console.configs.services.withdraw_review import withdraw_review
from console.configs.tasks import carry_out
from console.dialects.editable_numbers import NumberKey, ObjectKey
from console.errors import BadRequest, Conflict, NotAllowed, NotFound
from console.orgs.models import AuditEntry, Membership, Organization
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.orgs.services.create_user import create_user
from console.orgs.services.set_approval import set_approval
from console.policies.queries import active_version
from console.webhooks.models import Delivery, Kind, Webhook
from console.workloads.models import Event
from tests.dialects.test_editable_numbers import KUEUE_TEXT, NATIVE_TEXT
from tests.services.conftest import RACERS

ML, TRAIN, ALL = ObjectKey("queue", "ml"), ObjectKey("queue", "train"), ObjectKey("cohort", "all")
CPU = NumberKey("nominalQuota", "spot", "cpu")
MEMORY = NumberKey("nominalQuota", "spot", "memory")
NATIVE_CPU = NumberKey("nominal_quota", "a/b", "cpu")
RULES = "scheduling_rules: [{resource_queue: train}] # all\n"
RAISED = KUEUE_TEXT.replace('"9"', '"12"')
HOUR = timedelta(hours=1)
State = ScheduledChange.State


def later(hours: int = 1) -> datetime:
    return timezone.now() + hours * HOUR


def raise_cpu(
    actor: Actor, value: str, expected: int, hours: int = 1, message: str = "Demo"
) -> ScheduledChange:
    """Change the CPUs of queue ml for a time, and return the scheduled end."""
    changes = [NumberChange(key=CPU, value=value)]
    version, _ = change_numbers(actor, ML, changes, message, expected, until=later(hours))
    return ScheduledChange.objects.get(begun_by=version.number)


def make_due(change: ScheduledChange) -> None:
    """Make the time of *change* come."""
    now = timezone.now() - timedelta(seconds=1)
    ScheduledChange.objects.filter(pk=change.pk).update(due_at=now, try_at=now)


def state_of(change: ScheduledChange) -> tuple[str, int | None, str]:
    change.refresh_from_db()
    return change.state, change.version, change.problem


def text_of(org: Organization) -> tuple[int, str]:
    version = active_version(org)
    assert version is not None
    return version.number, version.text


def watch(org: Organization) -> None:
    """Add a webhook that is told of scheduled changes that fail."""
    Webhook.objects.create(org=org, name="all", url="https://x.example", kinds=[Kind.CHANGE_FAILED])


@pytest.fixture
def kueue(owner: Actor) -> ConfigVersion:
    """An active Kueue config."""
    return apply_config(owner, "kueue", KUEUE_TEXT, "", 0)


def test_a_temporary_change_ends_by_itself(owner: Actor, kueue: ConfigVersion) -> None:
    end = raise_cpu(owner, "12", 1)
    assert (end.state, end.begun_by, end.author, end.owner_name) == (
        State.SCHEDULED,
        2,
        owner.name,
        "ml",
    )
    assert end.numbers == [
        {
            "field": "nominalQuota",
            "flavor": "spot",
            "resource": "cpu",
            "title": "Nominal quota",
            "before": "9",
            "after": "12",
        }
    ]
    applied = Event.objects.filter(type="CONFIG_UPDATED").latest("pk")
    assert (applied.data["until"], applied.data["temporary"]) == (end.due_at.isoformat(), end.pk)
    assert end.due_at.tzinfo is UTC
    assert (carry_out_due(), text_of(owner.org)) == (0, (2, RAISED))

    make_due(end)
    carry_out()
    version = active_version(owner.org)
    assert version is not None
    assert (version.number, version.text, version.kind, version.via) == (
        3,
        KUEUE_TEXT,
        "apply",
        "schedule",
    )
    assert (version.author, version.message) == (
        owner.name,
        "End of the temporary change of version 2: Demo",
    )
    assert state_of(end) == (State.DONE, 3, "")
    ended = Event.objects.filter(type="CONFIG_UPDATED").latest("pk")
    assert (ended.data["ends"], ended.data["scheduled"]) == (2, end.pk)
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.actor_key, entry.subject) == ("config.apply", "schedule", "3")
    assert (carry_out_due(), ConfigVersion.objects.count()) == (0, 3)


def test_other_changes_made_meanwhile_stay(owner: Actor, kueue: ConfigVersion) -> None:
    end = raise_cpu(owner, "12", 1)
    edited = RAISED.replace("36Gi", "48Gi") + "# Kept.\n"
    apply_config(owner, "kueue", edited, "", 2)
    make_due(end)
    assert carry_out_due() == 1
    assert text_of(owner.org) == (4, edited.replace('"12"', '"9"'))


def test_a_cohort_has_temporary_changes_too(owner: Actor, kueue: ConfigVersion) -> None:
    changes = [NumberChange(key=CPU, value="40")]
    change_numbers(owner, ALL, changes, "", 1, until=later())
    end = ScheduledChange.objects.get()
    make_due(end)
    assert carry_out_due() == 1
    assert text_of(owner.org) == (3, KUEUE_TEXT)


def test_a_queue_with_fixed_numbers_gets_the_next_name_at_the_end(owner: Actor) -> None:
    apply_config(owner, "native", NATIVE_TEXT + RULES, "", 0)
    changes = [NumberChange(key=NATIVE_CPU, value="32")]
    change_numbers(owner, TRAIN, changes, "", 1, until=later())
    end = ScheduledChange.objects.get()
    assert end.owner_name == "train:v2"
    # Another change gives the queue one more name before the end.
    gpu = [NumberChange(key=NumberKey("nominal_quota", "a/b", "gpu"), value="3")]
    change_numbers(owner, ObjectKey("queue", "train:v2"), gpu, "", 2)
    make_due(end)
    assert carry_out_due() == 1
    text = (NATIVE_TEXT + RULES).replace("nominal_quota: 1.5", "nominal_quota: 3")
    text = text.replace("name: train", "name: train:v4")
    assert text_of(owner.org) == (4, text.replace("queue: train}", "queue: train:v4}"))


def test_a_number_that_was_changed_again_is_not_overwritten(
    owner: Actor, kueue: ConfigVersion
) -> None:
    watch(owner.org)
    end = raise_cpu(owner, "12", 1)
    apply_config(owner, "kueue", RAISED.replace('"12"', '"20"'), "More", 2)
    make_due(end)
    assert [carry_out_due(), carry_out_due()] == [0, 0]
    problem = (
        "The numbers of queue ml were changed after version 2: Nominal quota of cpu in spot is 20, "
        "not 12. Nothing was set back: check the quota, and change it by hand if it should be "
        "lower."
    )
    assert state_of(end) == (State.SUPERSEDED, None, problem)
    assert text_of(owner.org)[0] == 3
    (event,) = Event.objects.filter(level="WARNING", type="CONFIG_UPDATED")
    assert event.data == {
        "version": 3,
        "from": 3,
        "kind": "schedule_superseded",
        "scheduled": end.pk,
        "change": "end",
        "problem": problem,
        "ends": 2,
    }
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.subject, entry.after) == (
        "schedule.fail",
        str(end.pk),
        {"state": "superseded", "problem": problem},
    )
    (delivery,) = Delivery.objects.all()
    assert (delivery.kind, delivery.summary) == (
        "config.change_failed",
        f"The end of the temporary change of version 2 was not made: {problem}",
    )


def test_a_rollback_before_the_end_supersedes_it(owner: Actor, kueue: ConfigVersion) -> None:
    end = raise_cpu(owner, "12", 1)
    roll_back(owner, 1, 2)
    make_due(end)
    assert carry_out_due() == 0
    assert state_of(end) == (
        State.SUPERSEDED,
        None,
        "The numbers have the values from before version 2 already.",
    )


def test_a_queue_that_is_gone_supersedes_the_end(owner: Actor, kueue: ConfigVersion) -> None:
    end = raise_cpu(owner, "12", 1)
    parts = KUEUE_TEXT.split("---\n")
    apply_config(owner, "kueue", "---\n".join([parts[0], parts[2]]), "", 2)
    make_due(end)
    assert carry_out_due() == 0
    assert state_of(end) == (
        State.SUPERSEDED,
        None,
        "Version 3 has no queue ml with numbers that can be set back.",
    )


def test_values_that_contradict_the_config_fail(owner: Actor, kueue: ConfigVersion) -> None:
    end = raise_cpu(owner, "12", 1)
    apply_config(owner, "kueue", RAISED.replace("borrowingLimit: 1500m", "lendingLimit: 11"), "", 2)
    make_due(end)
    assert carry_out_due() == 0
    assert state_of(end) == (
        State.FAILED,
        None,
        "The config would have errors. First error: lendingLimit 11 is above nominalQuota 9.",
    )


def test_nested_temporary_changes_end_in_reverse_order(owner: Actor, kueue: ConfigVersion) -> None:
    outer = raise_cpu(owner, "12", 1, hours=5)
    with pytest.raises(BadRequest) as refused:
        raise_cpu(owner, "20", 2, hours=6)
    assert [(e.path, e.code) for e in refused.value.errors] == [("until", "ends_later")]
    inner = raise_cpu(owner, "20", 2, hours=4)
    for change, hours, code in ((inner, 6, "ends_later"), (outer, 3, "ends_earlier")):
        with pytest.raises(BadRequest) as refused:
            reschedule_change(owner, change.pk, later(hours))
        assert [e.code for e in refused.value.errors] == [code]
    with pytest.raises(Conflict, match="were changed after version 2"):
        carry_out_now(owner, outer.pk)
    assert state_of(outer)[0] == State.SCHEDULED
    make_due(outer)
    make_due(inner)
    ScheduledChange.objects.update(due_at=timezone.now(), try_at=timezone.now())
    assert carry_out_due() == 2
    assert text_of(owner.org) == (5, KUEUE_TEXT)
    assert [state_of(each)[:2] for each in (inner, outer)] == [(State.DONE, 4), (State.DONE, 5)]


@pytest.mark.parametrize("until", [timedelta(seconds=-1), timedelta(days=367)])
def test_an_invalid_time_is_refused(until: timedelta, owner: Actor, kueue: ConfigVersion) -> None:
    changes = [NumberChange(key=CPU, value="12")]
    at = timezone.now() + until
    with pytest.raises(BadRequest) as refused:
        change_numbers(owner, ML, changes, "", 1, until=at)
    assert [(e.path, e.code) for e in refused.value.errors] == [("until", "out_of_range")]
    with pytest.raises(BadRequest) as refused:
        schedule_apply(owner, "kueue", RAISED, "", 1, at)
    assert [(e.path, e.code) for e in refused.value.errors] == [("apply_at", "out_of_range")]
    assert (ConfigVersion.objects.count(), ScheduledChange.objects.count()) == (1, 0)


def test_a_number_without_a_value_before_cannot_be_temporary(
    owner: Actor, kueue: ConfigVersion
) -> None:
    limit = NumberKey("borrowingLimit", "spot", "memory")
    with pytest.raises(BadRequest) as refused:
        change_numbers(owner, ML, [NumberChange(key=limit, value="4Gi")], "", 1, until=later())
    assert [(e.path, e.code) for e in refused.value.errors] == [("until", "no_value_before")]
    assert ConfigVersion.objects.count() == 1


def test_the_same_numbers_schedule_nothing(owner: Actor, kueue: ConfigVersion) -> None:
    changes = [NumberChange(key=CPU, value="9")]
    version, _ = change_numbers(owner, ML, changes, "", 1, until=later())
    assert (version.number, ScheduledChange.objects.count()) == (1, 0)


def test_the_end_can_be_moved_made_early_and_canceled(
    owner: Actor, editor: Actor, kueue: ConfigVersion
) -> None:
    end = raise_cpu(owner, "12", 1)
    for refused in (
        lambda: reschedule_change(editor, end.pk, later()),
        lambda: cancel_change(editor, end.pk),
        lambda: carry_out_now(editor, end.pk),
    ):
        with pytest.raises(NotAllowed):
            refused()
    moved = later(9)
    assert reschedule_change(owner, end.pk, moved).due_at == moved
    assert carry_out_now(owner, end.pk).text == KUEUE_TEXT
    end.refresh_from_db()
    assert (end.state, end.version, end.ended_by) == (State.DONE, 3, owner.name)
    kept = raise_cpu(owner, "12", 3)
    assert cancel_change(owner, kept.pk).ended_by == owner.name
    make_due(kept)
    assert (carry_out_due(), text_of(owner.org)) == (0, (4, RAISED))
    for again in (
        lambda: reschedule_change(owner, kept.pk, later()),
        lambda: cancel_change(owner, kept.pk),
        lambda: carry_out_now(owner, kept.pk),
    ):
        with pytest.raises(Conflict) as conflict:
            again()
        assert conflict.value.code == "change_ended"
    actions = AuditEntry.objects.filter(action__startswith="schedule.").order_by("pk")
    assert [(each.action, each.subject) for each in actions] == [
        ("schedule.move", str(end.pk)),
        ("schedule.cancel", str(kept.pk)),
    ]


def test_changes_of_other_organizations_are_not_found(
    owner: Actor, kueue: ConfigVersion, other_org: Organization, outsider: Any
) -> None:
    end = raise_cpu(owner, "12", 1)
    other = Actor.from_user(other_org, outsider, "owner")
    for act in (get_scheduled, lambda org, number: cancel_change(other, number)):
        with pytest.raises(NotFound):
            act(other_org, end.pk)
    assert not coming_changes(other_org).exists()


def test_an_unconfirmed_version_makes_changes_wait(owner: Actor, kueue: ConfigVersion) -> None:
    end = raise_cpu(owner, "12", 1)
    apply_config(owner, "kueue", RAISED + "# 3\n", "", 2, revert_after=timedelta(minutes=10))
    make_due(end)
    assert carry_out_due() == 0
    with pytest.raises(Conflict, match="waits for confirmation"):
        carry_out_now(owner, end.pk)
    assert (state_of(end)[0], RevertTimer.objects.count()) == (State.SCHEDULED, 1)
    confirm_config(owner, 3)
    assert (carry_out_due(), text_of(owner.org)) == (1, (4, KUEUE_TEXT + "# 3\n"))


def test_the_end_of_an_approved_change_needs_no_approval(
    owner: Actor, editor: Actor, kueue: ConfigVersion
) -> None:
    set_approval(owner, required=True)
    changes = [NumberChange(key=CPU, value="12")]
    with pytest.raises(ApprovalRequired):
        change_numbers(owner, ML, changes, "", 1, until=later())
    review = submit_numbers(owner, ML, changes, "Demo", 1, until=later())
    (end,) = ScheduledChange.objects.filter(review=review)
    assert (end.state, end.begun_by) == (State.PROPOSED, None)
    with pytest.raises(Conflict) as refused:
        cancel_change(owner, end.pk)
    assert refused.value.code == "change_proposed"
    decide_review(editor, review.pk, "approve")
    apply_config(owner, "kueue", RAISED, "For a demo", 1)
    end.refresh_from_db()
    assert (end.state, end.begun_by, end.message) == (State.SCHEDULED, 2, "For a demo")
    make_due(end)
    assert (carry_out_due(), text_of(owner.org)) == (1, (3, KUEUE_TEXT))
    assert Event.objects.filter(type="CONFIG_UPDATED").latest("pk").data["approved_by"] is None


@pytest.mark.parametrize("how", ["withdraw", "request changes", "submit without an end"])
def test_a_proposal_that_is_not_applied_ends(
    how: str, owner: Actor, editor: Actor, kueue: ConfigVersion
) -> None:
    set_approval(owner, required=True)
    changes = [NumberChange(key=CPU, value="12")]
    review = submit_numbers(owner, ML, changes, "Demo", 1, until=later())
    if how == "withdraw":
        withdraw_review(owner, review.pk)
    elif how == "request changes":
        decide_review(editor, review.pk, "request_changes", "No.")
    else:
        assert submit_numbers(owner, ML, changes, "Demo", 1) == review
        decide_review(editor, review.pk, "approve")
        apply_config(owner, "kueue", RAISED, "", 1)
    assert [each.state for each in ScheduledChange.objects.all()] == [State.CANCELED]


def test_an_approved_change_whose_end_has_passed_is_not_applied(
    owner: Actor, editor: Actor, kueue: ConfigVersion
) -> None:
    set_approval(owner, required=True)
    changes = [NumberChange(key=CPU, value="12")]
    review = submit_numbers(owner, ML, changes, "", 1, until=later())
    decide_review(editor, review.pk, "approve")
    make_due(ScheduledChange.objects.get())
    with pytest.raises(BadRequest) as refused:
        apply_config(owner, "kueue", RAISED, "", 1)
    assert [e.path for e in refused.value.errors] == ["until"]
    assert text_of(owner.org)[0] == 1


def test_a_text_is_applied_at_its_time(owner: Actor, kueue: ConfigVersion) -> None:
    draft = begin_draft(owner, "kueue", RAISED, 1, "More")
    at = later()
    change = schedule_apply(owner, "kueue", RAISED, "More CPUs", 1, at, accept=(), draft=draft)
    assert (change.kind, change.state, change.due_at, change.base) == (
        "apply",
        State.SCHEDULED,
        at,
        1,
    )
    assert carry_out_due() == 0
    make_due(change)
    assert carry_out_due() == 1
    version = active_version(owner.org)
    assert version is not None
    assert (version.number, version.text, version.message, version.author, version.via) == (
        2,
        RAISED,
        "More CPUs",
        owner.name,
        "schedule",
    )
    assert state_of(change) == (State.DONE, 2, "")
    assert not Draft.objects.exists()
    assert carry_out_due() == 0


def test_a_scheduled_draft_stays_as_it_is(owner: Actor, kueue: ConfigVersion) -> None:
    draft = begin_draft(owner, "kueue", RAISED, 1, "More")
    change = schedule_apply(owner, "kueue", RAISED, "", 1, later(), draft=draft)
    for act in (
        lambda: save_draft(owner, draft.pk, "kueue", KUEUE_TEXT, 1, 9),
        lambda: discard_draft(owner, draft.pk),
        lambda: schedule_apply(owner, "kueue", RAISED, "", 1, later(), draft=draft),
    ):
        with pytest.raises(Conflict) as refused:
            act()
        assert refused.value.code == "draft_scheduled"
    cancel_change(owner, change.pk)
    assert save_draft(owner, draft.pk, "kueue", KUEUE_TEXT, 1, 9).text == KUEUE_TEXT


def test_a_version_in_between_is_merged_if_that_is_safe(owner: Actor, kueue: ConfigVersion) -> None:
    merged = schedule_apply(owner, "kueue", RAISED, "", 1, later())
    conflicting = schedule_apply(owner, "kueue", KUEUE_TEXT.replace("36Gi", "1Gi"), "", 1, later())
    apply_config(owner, "kueue", KUEUE_TEXT.replace("Quota: 4", "Quota: 5"), "", 1)
    make_due(merged)
    make_due(conflicting)
    assert carry_out_due() == 1
    assert text_of(owner.org) == (3, RAISED.replace("Quota: 4", "Quota: 5"))
    state, version, problem = state_of(conflicting)
    assert (state, version) == (State.FAILED, None)
    assert "cannot be merged safely" in problem


def test_an_approval_holds_for_its_base_version_only(
    owner: Actor, editor: Actor, kueue: ConfigVersion
) -> None:
    set_approval(owner, required=True)
    with pytest.raises(ApprovalRequired):
        schedule_apply(owner, "kueue", RAISED, "", 1, later())
    decide_review(editor, request_review(owner, "kueue", RAISED, 1).pk, "approve")
    first = schedule_apply(owner, "kueue", RAISED, "", 1, later())
    withdrawn = schedule_apply(owner, "kueue", RAISED, "", 1, later(2))
    make_due(first)
    assert carry_out_due() == 1
    applied = Event.objects.filter(type="CONFIG_UPDATED").latest("pk").data
    assert applied["approved_by"] == editor.name
    make_due(withdrawn)
    assert carry_out_due() == 0
    assert "after the text was approved for version 1" in state_of(withdrawn)[2]


def test_an_approval_that_was_withdrawn_is_missing_at_the_time(
    owner: Actor, editor: Actor, kueue: ConfigVersion
) -> None:
    set_approval(owner, required=True)
    review = request_review(owner, "kueue", RAISED, 1)
    decide_review(editor, review.pk, "approve")
    change = schedule_apply(owner, "kueue", RAISED, "", 1, later())
    withdraw_review(owner, review.pk)
    make_due(change)
    assert carry_out_due() == 0
    assert "has no approval on the active version" in state_of(change)[2]


def test_consequences_beyond_the_accepted_ones_stop_an_apply(
    owner: Actor, kueue: ConfigVersion
) -> None:
    other = NATIVE_TEXT + RULES
    with pytest.raises(ConsequencesNotAccepted):
        schedule_apply(owner, "native", other, "", 1, later(), accept=())
    change = schedule_apply(owner, "native", other, "", 1, later(), accept=None)
    ScheduledChange.objects.update(accept=[])
    make_due(change)
    assert carry_out_due() == 0
    state, _, problem = state_of(change)
    assert state == State.FAILED
    assert problem.startswith("The apply would have consequences that were not accepted: ")


def test_an_author_who_lost_the_role_applies_nothing(owner: Actor, kueue: ConfigVersion) -> None:
    change = schedule_apply(owner, "kueue", RAISED, "", 1, later())
    Membership.objects.filter(org=owner.org, user=owner.user).update(role="editor")
    make_due(change)
    assert carry_out_due() == 0
    assert state_of(change)[0] == State.FAILED
    assert "may not apply configs any more" in state_of(change)[2]


def test_a_stale_or_unchanged_text_is_not_scheduled(owner: Actor, kueue: ConfigVersion) -> None:
    with pytest.raises(StaleVersion):
        schedule_apply(owner, "kueue", RAISED, "", 0, later())
    with pytest.raises(Conflict, match="identical"):
        schedule_apply(owner, "kueue", KUEUE_TEXT, "", 1, later())


def test_a_crash_between_version_and_row_leaves_neither(
    owner: Actor, kueue: ConfigVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = raise_cpu(owner, "12", 1)
    make_due(end)
    activate = carrying.activate_version

    def crash(*args: Any, **kwargs: Any) -> None:
        activate(*args, **kwargs)
        raise RuntimeError("the worker is killed")

    monkeypatch.setattr(carrying, "activate_version", crash)
    with pytest.raises(RuntimeError):
        carry_out_due()
    assert (state_of(end), text_of(owner.org)) == ((State.SCHEDULED, None, ""), (2, RAISED))
    monkeypatch.undo()
    assert carry_out_due() == 0
    ScheduledChange.objects.update(try_at=timezone.now())
    assert (carry_out_due(), state_of(end)) == (1, (State.DONE, 3, ""))


Race = Callable[[Callable[[int], Any]], list[Any]]


@pytest.fixture
def actors(shared_database: None) -> list[Actor]:
    """Create owners of one organization."""
    org = create_org("here", "Here", owner=None)
    users = [create_user(f"owner{i}@here.example", "correct horse") for i in range(RACERS)]
    return [Actor.from_user(org, user, "owner") for user in users]


def test_one_of_several_sweepers_makes_the_change(race: Race, actors: list[Actor]) -> None:
    apply_config(actors[0], "kueue", KUEUE_TEXT, "", 0)
    make_due(raise_cpu(actors[0], "12", 1))
    outcomes = race(lambda _: carry_out_due())
    assert sorted(outcomes) == [0] * (RACERS - 1) + [1], outcomes
    assert ConfigVersion.objects.count() == 3


def test_a_sweep_and_a_cancellation_at_the_same_moment_have_one_winner(
    race: Race, actors: list[Actor]
) -> None:
    apply_config(actors[0], "kueue", KUEUE_TEXT, "", 0)
    end = raise_cpu(actors[0], "12", 1)
    make_due(end)

    def act(number: int) -> Any:
        return carry_out_due() if number % 2 else cancel_change(actors[number], end.pk)

    outcomes = race(act)
    wins = [one for one in outcomes if isinstance(one, ScheduledChange) or one == 1]
    assert len(wins) == 1, outcomes
    lost = [one for one in outcomes if one not in wins]
    assert all(one == 0 or isinstance(one, Conflict) for one in lost), outcomes
    made = wins == [1]
    assert ActiveConfig.objects.get().number == (3 if made else 2)
    end.refresh_from_db()
    assert end.state == (State.DONE if made else State.CANCELED)
