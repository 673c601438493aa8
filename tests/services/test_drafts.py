"""Drafts: shared in the organization, locked by one editor, never overwritten by stale saves."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.configs.draft_lock import LAPSES_AFTER, presences
from console.configs.models import Draft, DraftVisit
from console.configs.queries import drafts_of, get_draft, latest_draft
from console.configs.services.apply_config import apply_config
from console.configs.services.begin_draft import begin_draft
from console.configs.services.discard_draft import discard_draft
from console.configs.services.save_draft import save_draft
from console.configs.services.take_over_draft import take_over_draft
from console.configs.services.visit_draft import leave_draft, visit_draft
from console.errors import BadRequest, Conflict, NotAllowed, NotFound
from console.orgs.models import Membership, Organization, Role, User
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.orgs.services.create_user import create_user


def expire_lock(draft: Draft) -> None:
    """Let the editing lock of *draft* expire."""
    past = timezone.now() - LAPSES_AFTER - timedelta(seconds=1)
    Draft.objects.filter(pk=draft.pk).update(editing_since=past)
    DraftVisit.objects.filter(draft=draft).update(since=past, seen_at=past)


def presence_of(actor: Actor, draft: Draft) -> tuple[str | None, list[str]]:
    """Return the editor and the visitors of *draft* as shown to *actor*."""
    (presence,) = presences([get_draft(actor.org, draft.pk)], timezone.now())
    editor = presence.editor.email if presence.editor else None
    return editor, [visit.user.email for visit in presence.visits]


def test_a_base_has_to_be_a_version_of_the_organization(
    owner: Actor, other_org: Organization, outsider: User
) -> None:
    other = Actor.from_user(other_org, outsider, "owner")
    for number in range(3):
        apply_config(other, "native", f"# {number}\n", "", number)
    apply_config(owner, "native", "# One.\n", "", 0)
    draft = begin_draft(owner, "native", "a: 1", base=1)
    for attempt in (
        lambda: begin_draft(owner, "native", "a: 2", base=2),
        lambda: save_draft(owner, draft.pk, "native", "a: 2", base=2, revision=2),
    ):
        with pytest.raises(BadRequest) as refused:
            attempt()
        assert [(e.path, e.code, e.message) for e in refused.value.errors] == [
            (
                "base",
                "no_such_version",
                "There is no version 2 to start from. Open the draft again from its list.",
            )
        ]
    draft.refresh_from_db()
    assert (draft.text, draft.base, draft.revision, Draft.objects.count()) == ("a: 1", 1, 1, 1)


def test_a_draft_is_begun_saved_and_discarded(editor: Actor, owner: Actor) -> None:
    for number in range(3):
        apply_config(owner, "native", f"# {number}\n", "", number)
    begun = begin_draft(editor, "native", "a: 1", base=0, title=" Wider ")
    saved = save_draft(editor, begun.pk, "native", "a: 2", base=3, revision=2)
    assert (saved.text, saved.base, saved.revision, saved.title) == ("a: 2", 3, 2, "Wider")
    assert save_draft(editor, begun.pk, "native", "", 3, 3, title="").title == ""
    assert latest_draft(editor.org, editor.user) == begun
    assert latest_draft(editor.org, owner.user) is None
    discard_draft(editor, begun.pk)
    discard_draft(editor, begun.pk)
    assert latest_draft(editor.org, editor.user) is None


def test_drafts_are_of_everybody_in_the_organization_and_of_nobody_else(
    editor: Actor, owner: Actor, other_org: Organization
) -> None:
    one = begin_draft(editor, "native", "one", base=0)
    two = begin_draft(owner, "native", "two", base=0)
    assert list(drafts_of(editor.org)) == [two, one]
    save_draft(editor, one.pk, "native", "one more", base=0, revision=2)
    assert list(drafts_of(editor.org)) == [one, two]
    assert list(drafts_of(other_org)) == []
    with pytest.raises(NotFound):
        get_draft(other_org, one.pk)


@pytest.mark.parametrize("revision", [1, 2])
def test_a_late_save_changes_nothing(editor: Actor, revision: int) -> None:
    draft = begin_draft(editor, "native", "first", base=0)
    save_draft(editor, draft.pk, "native", "newest", base=0, revision=2)
    with pytest.raises(Conflict) as caught:
        save_draft(editor, draft.pk, "native", "late", base=0, revision=revision, title="late")
    assert caught.value.code == "stale_draft"
    kept = get_draft(editor.org, draft.pk)
    assert (kept.text, kept.title) == ("newest", "")


@pytest.mark.every_database
def test_invalid_drafts_are_refused(editor: Actor) -> None:
    draft = begin_draft(editor, "native", "", base=0)
    with pytest.raises(BadRequest) as caught:
        save_draft(editor, draft.pk, "native", "a\0", base=-1, revision=0, title="t" * 501)
    assert [error.path for error in caught.value.errors] == ["text", "base", "revision", "title"]
    with pytest.raises(BadRequest):
        save_draft(editor, draft.pk, "cobol", "", base=0, revision=2)
    with pytest.raises(BadRequest) as caught:
        save_draft(editor, draft.pk, "native", "", base=2**31, revision=2**31)
    assert [error.path for error in caught.value.errors] == ["base", "revision"]
    with pytest.raises(BadRequest) as caught:
        begin_draft(editor, "native", "a\0", base=-1, title="t" * 501)
    assert [error.path for error in caught.value.errors] == ["text", "title", "base"]


def test_a_draft_that_was_saved_meanwhile_is_not_discarded(editor: Actor) -> None:
    draft = begin_draft(editor, "native", "", base=0)
    save_draft(editor, draft.pk, "native", "newer", base=0, revision=2)
    discard_draft(editor, draft.pk, revision=1)
    assert get_draft(editor.org, draft.pk).text == "newer"
    discard_draft(editor, draft.pk, revision=2)
    assert not drafts_of(editor.org).exists()


def test_saving_a_draft_that_is_gone_is_told(editor: Actor) -> None:
    draft = begin_draft(editor, "native", "", base=0)
    discard_draft(editor, draft.pk)
    with pytest.raises(NotFound) as caught:
        save_draft(editor, draft.pk, "native", "more", base=0, revision=2)
    assert "discarded, or applied" in caught.value.message


def test_drafts_are_written_by_people_whose_role_includes_it(
    org: Organization, submitter: Actor, viewer: Actor, editor: Actor
) -> None:
    draft = begin_draft(editor, "native", "kept", base=0)
    token = Actor(org=org, role="owner", name="token", key="token:1")
    writes: list[Callable[[Actor], Any]] = [
        lambda actor: begin_draft(actor, "native", "", base=0),
        lambda actor: save_draft(actor, draft.pk, "native", "", base=0, revision=2),
        lambda actor: take_over_draft(actor, draft.pk, None),
        lambda actor: discard_draft(actor, draft.pk),
    ]
    for actor in (submitter, viewer, token):
        for write in writes:
            with pytest.raises(NotAllowed):
                write(actor)
    assert presence_of(viewer, draft) == (editor.name, [editor.name])
    assert visit_draft(viewer, draft.pk).draft.text == "kept"


def test_an_owner_discards_what_others_left_and_an_editor_only_their_own(
    editor: Actor, owner: Actor
) -> None:
    theirs = begin_draft(owner, "native", "", base=0)
    with pytest.raises(NotAllowed) as refused:
        discard_draft(editor, theirs.pk)
    assert owner.name in refused.value.message

    draft = begin_draft(editor, "native", "", base=0)
    with pytest.raises(Conflict) as caught:
        discard_draft(owner, draft.pk)
    assert (caught.value.code, editor.name in caught.value.message) == ("draft_locked", True)
    discard_draft(owner, draft.pk, revision=1)
    assert get_draft(editor.org, draft.pk) == draft
    leave_draft(editor, draft.pk)
    discard_draft(owner, draft.pk)
    assert list(drafts_of(editor.org)) == [theirs]


def test_one_person_edits_at_a_time(editor: Actor, owner: Actor) -> None:
    draft = begin_draft(editor, "native", "mine", base=0)
    with pytest.raises(Conflict) as caught:
        save_draft(owner, draft.pk, "native", "theirs", base=0, revision=9)
    assert (caught.value.code, editor.name in caught.value.message) == ("draft_locked", True)
    visit_draft(owner, draft.pk)
    assert presence_of(owner, draft) == (editor.name, [editor.name, owner.name])

    leave_draft(editor, draft.pk)
    assert presence_of(owner, draft) == (None, [owner.name])
    save_draft(owner, draft.pk, "native", "theirs", base=0, revision=2)
    assert presence_of(editor, draft) == (owner.name, [owner.name])
    with pytest.raises(Conflict) as caught:
        save_draft(editor, draft.pk, "native", "mine again", base=0, revision=3)
    assert caught.value.code == "draft_locked"


def test_leaving_ends_only_what_is_ones_own(editor: Actor, owner: Actor) -> None:
    draft = begin_draft(editor, "native", "", base=0)
    visit_draft(owner, draft.pk)
    leave_draft(owner, draft.pk)
    assert presence_of(owner, draft) == (editor.name, [editor.name])


def test_an_absent_editor_loses_the_lock(editor: Actor, owner: Actor) -> None:
    draft = begin_draft(editor, "native", "mine", base=0)
    expire_lock(draft)
    assert presence_of(owner, draft) == (None, [])
    save_draft(owner, draft.pk, "native", "theirs", base=0, revision=2)
    assert presence_of(editor, draft) == (owner.name, [owner.name])


def test_a_visit_keeps_a_lock_and_since_when_it_is_held(editor: Actor, owner: Actor) -> None:
    draft = begin_draft(editor, "native", "mine", base=0)
    expire_lock(draft)
    since = get_draft(editor.org, draft.pk).editing_since
    visit_draft(editor, draft.pk)
    with pytest.raises(Conflict):
        save_draft(owner, draft.pk, "native", "theirs", base=0, revision=2)
    saved = save_draft(editor, draft.pk, "native", "more", base=0, revision=2)
    assert saved.editing_since == since


def test_a_draft_is_taken_over_from_whom_one_saw(editor: Actor, owner: Actor) -> None:
    draft = begin_draft(editor, "native", "mine", base=0)
    with pytest.raises(Conflict):
        take_over_draft(owner, draft.pk, None)
    taken = take_over_draft(owner, draft.pk, editor.user.pk)
    assert (taken.editor, taken.text, taken.revision) == (owner.user, "mine", 1)
    with pytest.raises(Conflict) as caught:
        save_draft(editor, draft.pk, "native", "more", base=0, revision=2)
    assert owner.name in caught.value.message
    take_over_draft(owner, draft.pk, owner.user.pk)
    assert presence_of(owner, draft)[0] == owner.name


def test_one_of_several_concurrent_takeovers_wins(
    race: Callable[[Callable[[int], Draft]], list[Draft | Exception]],
) -> None:
    org = create_org("racers", "Racers", owner=None)
    cast = [_member(org, number) for number in range(7)]
    first = cast.pop()
    assert first.user is not None
    draft = begin_draft(first, "native", "mine", base=0)
    seen = first.user.pk

    came = race(lambda number: take_over_draft(cast[number], draft.pk, seen))
    winners = [taken for taken in came if isinstance(taken, Draft)]
    losers = [error for error in came if not isinstance(error, Draft)]
    assert len(winners) == 1
    assert {getattr(error, "code", repr(error)) for error in losers} == {"draft_locked"}
    assert get_draft(org, draft.pk).editor == winners[0].editor


def test_one_of_several_concurrent_saves_wins(
    race: Callable[[Callable[[int], Draft]], list[Draft | Exception]],
) -> None:
    org = create_org("racers", "Racers", owner=None)
    cast = [_member(org, number) for number in range(6)]
    draft = begin_draft(cast[0], "native", "mine", base=0)
    leave_draft(cast[0], draft.pk)

    came = race(
        lambda number: save_draft(cast[number], draft.pk, "native", f"by {number}", 0, 2 + number)
    )
    saved = [number for number, each in enumerate(came) if isinstance(each, Draft)]
    refused = {
        getattr(error, "code", repr(error)) for error in came if isinstance(error, Exception)
    }
    kept = get_draft(org, draft.pk)
    assert (len(saved), refused) == (1, {"draft_locked"})
    assert (kept.text, kept.editor) == (f"by {saved[0]}", cast[saved[0]].user)


def _member(org: Organization, number: int) -> Actor:
    user = create_user(f"racer-{number}@{org.slug}.example", "correct horse battery")
    Membership.objects.create(org=org, user=user, role=Role.EDITOR)
    return Actor.from_user(org, user, Role.EDITOR)
