"""Drafts: saved while typing, one for each person, never overwritten by an older save."""

from __future__ import annotations

import pytest

from console.configs.queries import draft_of
from console.configs.services.discard_draft import discard_draft
from console.configs.services.save_draft import save_draft
from console.errors import BadRequest, Conflict, NotAllowed
from console.orgs.permissions import Actor


def test_a_draft_is_kept_and_discarded(editor, owner):
    save_draft(editor, "native", "a: 1", base=0, revision=1)
    draft = save_draft(editor, "native", "a: 2", base=0, revision=2)
    assert (draft.text, draft.base, draft.revision) == ("a: 2", 0, 2)
    assert draft_of(editor.org, owner.user) is None
    discard_draft(editor)
    discard_draft(editor)
    assert draft_of(editor.org, editor.user) is None
    save_draft(editor, "native", "again", base=3, revision=1)
    assert draft_of(editor.org, editor.user).text == "again"


@pytest.mark.parametrize("revision", [1, 2])
def test_a_late_save_changes_nothing(editor, revision):
    save_draft(editor, "native", "newest", base=0, revision=2)
    with pytest.raises(Conflict) as caught:
        save_draft(editor, "native", "late", base=0, revision=revision)
    assert caught.value.code == "stale_draft"
    assert draft_of(editor.org, editor.user).text == "newest"


def test_what_cannot_be_kept(editor):
    with pytest.raises(BadRequest) as caught:
        save_draft(editor, "native", "a\0", base=-1, revision=0)
    assert [error.path for error in caught.value.errors] == ["text", "base", "revision"]
    with pytest.raises(BadRequest):
        save_draft(editor, "cobol", "", base=0, revision=1)
    with pytest.raises(BadRequest) as caught:
        save_draft(editor, "native", "", base=2**31, revision=2**31)
    assert [error.path for error in caught.value.errors] == ["base", "revision"]


def test_a_draft_that_was_saved_meanwhile_is_not_discarded(editor):
    save_draft(editor, "native", "newer", base=0, revision=2)
    discard_draft(editor, revision=1)
    assert draft_of(editor.org, editor.user).text == "newer"
    discard_draft(editor, revision=2)
    assert draft_of(editor.org, editor.user) is None


def test_drafts_belong_to_people_who_may_write_them(org, submitter, editor):
    token = Actor(org=org, role="owner", name="token", key="token:1")
    for actor in (submitter, token):
        with pytest.raises(NotAllowed):
            save_draft(actor, "native", "", base=0, revision=1)
        with pytest.raises(NotAllowed):
            discard_draft(actor)
