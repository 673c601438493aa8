"""A rule is moved in the active text: only its place differs, or nothing is applied."""

from __future__ import annotations

import pytest

from console.configs.errors import ConsequencesNotAccepted, StaleVersion
from console.configs.models import ConfigVersion
from console.configs.services.apply_config import apply_config
from console.configs.services.move_rule import move_rule
from console.configs.services.propose_move import propose_move
from console.dialects import dialects
from console.errors import BadRequest, NotAllowed, NotFound
from console.orgs.permissions import Actor
from tests.dialects.test_moving import RULES, TEXT, move

pytestmark = pytest.mark.django_db


def test_a_move_makes_a_version_with_the_same_lines(owner: Actor) -> None:
    apply_config(owner, "native", TEXT, "", 0)
    version, _ = move_rule(owner, 0, 1, "Team b first", 1, accept=[])
    assert (version.number, version.message) == (2, "Team b first")
    assert version.text == move(dialects()["native"], TEXT, 0, 1)
    assert sorted(version.text.splitlines()) == sorted(TEXT.splitlines())


def test_placement_rules_are_moved_too(owner: Actor) -> None:
    apply_config(owner, "yunikorn", RULES, "", 0)
    version, _ = move_rule(owner, 0, 1, "", 1)
    assert version.text == move(dialects()["yunikorn"], RULES, 0, 1)
    with pytest.raises(BadRequest) as caught:
        move_rule(owner, 0, 2, "", 2)
    assert [(each.path, each.code) for each in caught.value.errors] == [("to", "not_movable")]


def test_the_same_position_is_not_a_version(owner: Actor) -> None:
    apply_config(owner, "native", TEXT, "", 0)
    assert move_rule(owner, 1, 1, "", 1)[0].number == 1


def test_a_position_that_does_not_exist_is_reported(owner: Actor) -> None:
    apply_config(owner, "native", TEXT, "", 0)
    with pytest.raises(BadRequest) as caught:
        propose_move(owner, 3, -1, 1)
    assert [(each.path, each.code) for each in caught.value.errors] == [
        ("rule", "out_of_range"),
        ("to", "out_of_range"),
    ]


def test_consequences_have_to_be_accepted(owner: Actor) -> None:
    apply_config(owner, "native", TEXT, "", 0)
    with pytest.raises(ConsequencesNotAccepted):
        # Rules behind one that matches everything are never reached.
        move_rule(owner, 2, 0, "", 1, accept=[])
    assert ConfigVersion.objects.filter(org=owner.org).count() == 1


def test_another_version_is_a_conflict(owner: Actor) -> None:
    apply_config(owner, "native", TEXT, "", 0)
    apply_config(owner, "native", f"{TEXT}# More.\n", "", 1)
    with pytest.raises(StaleVersion):
        move_rule(owner, 0, 1, "", 1)


def test_languages_without_rules_have_nothing_to_move(owner: Actor) -> None:
    with pytest.raises(NotFound):
        move_rule(owner, 0, 1, "", 0)
    samples = dialects()["kueue"].samples()
    apply_config(owner, "kueue", next(iter(samples.values())), "", 0)
    with pytest.raises(NotFound):
        move_rule(owner, 0, 1, "", 1)


def test_only_those_who_may_apply_move_rules(owner: Actor, viewer: Actor) -> None:
    apply_config(owner, "native", TEXT, "", 0)
    with pytest.raises(NotAllowed):
        move_rule(viewer, 0, 1, "", 1)
