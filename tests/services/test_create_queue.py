"""A queue is added to the active text with what routes to it, or nothing is applied."""

from __future__ import annotations

import pytest

from console.configs.errors import ConfigRejected, ConsequencesNotAccepted, StaleVersion
from console.configs.models import ConfigVersion
from console.configs.services.apply_config import apply_config
from console.configs.services.create_queue import create_queue
from console.configs.services.propose_numbers import NumberChange
from console.configs.services.propose_queue import QueueInput, propose_queue
from console.dialects import dialects
from console.dialects.editable_numbers import NumberKey
from console.errors import BadRequest, NotAllowed, NotFound
from console.orgs.permissions import Actor
from tests.dialects.test_new_queues import NATIVE, YUNIKORN, add

pytestmark = pytest.mark.django_db

GPUS = NumberKey("nominal_quota", "a100", "gpu")
VISION = QueueInput(
    name=" vision ",
    fields={"conditions": ["team=vision", " "], "cohort_name": [""]},
    numbers=[NumberChange(key=GPUS, value=" 8 ")],
)


def test_a_new_queue_is_a_version_with_the_same_other_lines(owner: Actor) -> None:
    apply_config(owner, "native", NATIVE, "", 0)
    version, proposal = create_queue(owner, VISION, "For vision", 1, accept=[])
    made = add("native", NATIVE, "vision", {"conditions": ["team=vision"]}, {GPUS: "8"})
    assert (version.number, version.message, proposal.name) == (2, "For vision", "vision")
    assert version.text == proposal.text == made.text


def test_the_proposal_has_the_full_name_of_the_queue(owner: Actor) -> None:
    apply_config(owner, "yunikorn", YUNIKORN, "", 0)
    queue = QueueInput(name="vision", fields={"parent": ["root"]})
    assert propose_queue(owner, queue, 1).name == "root.vision"


def test_invalid_values_have_their_places(owner: Actor) -> None:
    apply_config(owner, "native", NATIVE, "", 0)
    number = NumberChange(key=GPUS, value="many")
    queue = QueueInput(name="train", fields={"parent": ["a"]}, numbers=[number, number])
    with pytest.raises(BadRequest) as caught:
        propose_queue(owner, queue, 1)
    assert sorted((each.path, each.code) for each in caught.value.errors) == [
        ("name", "invalid_field"),
        ("numbers[0].value", "invalid_number"),
        ("numbers[1]", "repeated_number"),
        ("settings.conditions", "invalid_field"),
        ("settings.parent", "invalid_field"),
    ]


def test_errors_of_the_whole_text_are_those_of_a_config(owner: Actor) -> None:
    apply_config(owner, "native", NATIVE, "", 0)
    queue = QueueInput(name="a", fields={"conditions": ["a=b"], "cohort_name": ["shared"]})
    with pytest.raises(ConfigRejected) as caught:
        propose_queue(owner, queue, 1)
    (error,) = caught.value.reading.errors
    assert "has no resource_groups" in error.message


def test_a_rule_behind_one_that_takes_all_is_a_consequence(owner: Actor) -> None:
    apply_config(owner, "native", NATIVE, "", 0)
    fields = {**VISION.fields, "position": ["3"]}
    queue = QueueInput(name="vision", fields=fields, numbers=VISION.numbers)
    with pytest.raises(ConsequencesNotAccepted):
        create_queue(owner, queue, "", 1, accept=[])
    assert ConfigVersion.objects.filter(org=owner.org).count() == 1


def test_another_version_is_a_conflict(owner: Actor) -> None:
    apply_config(owner, "native", NATIVE, "", 0)
    apply_config(owner, "native", f"{NATIVE}# More.\n", "", 1)
    with pytest.raises(StaleVersion):
        create_queue(owner, VISION, "", 1)


def test_languages_without_the_form_add_no_queues(owner: Actor) -> None:
    with pytest.raises(NotFound):
        create_queue(owner, VISION, "", 0)
    apply_config(owner, "skyshift", next(iter(dialects()["skyshift"].samples().values())), "", 0)
    with pytest.raises(NotFound):
        create_queue(owner, VISION, "", 1)


def test_only_those_who_may_apply_add_queues(owner: Actor, viewer: Actor) -> None:
    apply_config(owner, "native", NATIVE, "", 0)
    with pytest.raises(NotAllowed):
        create_queue(viewer, VISION, "", 1)
