"""Merging a draft onto a newer version: permissions, races and events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from console.configs.errors import StaleVersion
from console.configs.models import Draft
from console.configs.services.apply_config import apply_config
from console.configs.services.begin_draft import begin_draft
from console.configs.services.fix_draft import fix_draft
from console.configs.services.merge_draft import Resolution, merge_draft
from console.dialects.merging import Choice, Verdict
from console.errors import BadRequest, Conflict, NotAllowed, NotFound
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.orgs.services.create_user import create_user
from console.workloads.models import Event
from tests.services.conftest import RACERS

BASE = """\
resource_queues:
  - name: a
  - name: b
scheduling_rules:
  - selector: [{ key: team, operator: exists }]
    resource_queue: a
    priority_policy: { max: 10 }
  - resource_queue: b
"""
THEIRS = BASE.replace("  - name: b\n", "  - name: b\n  - name: c\n")
YOURS = BASE.replace("max: 10", "max: 20")
OTHER = BASE.replace("max: 10", "max: 30")


def begun(actor: Actor, theirs: str = THEIRS) -> Draft:
    """Begin a draft, and apply the text *theirs* before the draft is applied."""
    apply_config(actor, "native", BASE, "", 0)
    draft = begin_draft(actor, "native", YOURS, 1)
    apply_config(actor, "native", theirs, "", 1)
    return draft


def merges() -> list[Any]:
    """Return the facts of the merge events."""
    return [event.data for event in Event.objects.filter(data__kind="merge")]


def test_both_changes_are_in_the_draft_and_in_the_events(owner: Actor) -> None:
    draft = begun(owner)
    merged, verdict = merge_draft(owner, draft.pk, 1, 2, [])
    assert verdict is Verdict.SAFE
    assert (merged.base, merged.revision, merged.text) == (
        2,
        2,
        THEIRS.replace("max: 10", "max: 20"),
    )
    assert merges() == [
        {"kind": "merge", "version": 2, "from": 1, "draft": draft.pk, "conflicts": 0}
    ]


def test_a_draft_begun_before_the_first_config_merges_too(owner: Actor) -> None:
    draft = begin_draft(owner, "native", "# Mine.\n", 0)
    apply_config(owner, "native", BASE, "", 0)
    merged, verdict = merge_draft(owner, draft.pk, 1, 1, [])
    assert (verdict, merged.base, merged.text) == (Verdict.SAFE, 1, "# Mine.\n" + BASE)


def test_a_merge_needs_every_decision_and_the_current_versions(owner: Actor, editor: Actor) -> None:
    draft = begun(owner, OTHER)
    yours = [Resolution(Choice.YOURS)]
    with pytest.raises(BadRequest):
        merge_draft(owner, draft.pk, 1, 2, [])
    with pytest.raises(BadRequest):
        merge_draft(owner, draft.pk, 1, 2, yours * 2)
    with pytest.raises(Conflict, match="saved again"):
        merge_draft(owner, draft.pk, 7, 2, yours)
    with pytest.raises(StaleVersion):
        merge_draft(owner, draft.pk, 1, 1, yours)
    with pytest.raises(NotFound):
        merge_draft(owner, draft.pk + 1, 1, 2, yours)
    with pytest.raises(Conflict, match="edits"):
        merge_draft(editor, draft.pk, 1, 2, yours)
    draft.refresh_from_db()
    assert (draft.base, draft.revision, merges()) == (1, 1, [])


def test_roles_without_drafts_may_not_merge_or_repair(owner: Actor, operator: Actor) -> None:
    draft = begun(owner)
    with pytest.raises(NotAllowed):
        merge_draft(operator, draft.pk, 1, 2, [])
    with pytest.raises(NotAllowed):
        fix_draft(operator, draft.pk, 1, "NAT001-1-1-0")


def test_a_repair_that_is_not_offered_changes_nothing(owner: Actor) -> None:
    draft = begin_draft(owner, "native", "resource_queue: []\n", 0)
    for revision, key in ((1, ""), (1, "NAT001-9-9-9"), (2, "YML001-1-1-0")):
        with pytest.raises(Conflict):
            fix_draft(owner, draft.pk, revision, key)
    draft.refresh_from_db()
    assert (draft.text, draft.revision) == ("resource_queue: []\n", 1)


def test_one_of_several_concurrent_merges_wins(
    race: Callable[[Callable[[int], Any]], list[Any]],
) -> None:
    org = create_org("here", "Here", owner=None)
    actor = Actor.from_user(org, create_user("one@here.example", "correct horse"), "owner")
    draft = begun(actor)
    outcomes = race(lambda _: merge_draft(actor, draft.pk, 1, 2, []))
    assert sum(isinstance(one, tuple) for one in outcomes) == 1, outcomes
    lost = [one for one in outcomes if not isinstance(one, tuple)]
    assert len(lost) == RACERS - 1
    assert all(isinstance(one, Conflict) for one in lost), outcomes
    assert len(merges()) == 1
