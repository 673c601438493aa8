"""Numbers of a queue are changed in the active text: only they differ, or nothing is applied."""

from __future__ import annotations

import pytest

from console.configs.errors import ConfigRejected, ConsequencesNotAccepted, StaleVersion
from console.configs.models import ConfigVersion
from console.configs.services.apply_config import apply_config
from console.configs.services.change_numbers import change_numbers
from console.configs.services.propose_numbers import NumberChange, numbers_of, propose_numbers
from console.dialects.editable_numbers import NumberKey, ObjectKey
from console.errors import BadRequest, NotAllowed, NotFound
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from tests.dialects.test_editable_numbers import KUEUE_TEXT, NATIVE_TEXT

pytestmark = pytest.mark.django_db

ML, TRAIN = ObjectKey("queue", "ml"), ObjectKey("queue", "train")
CPU = NumberKey("nominalQuota", "spot", "cpu")
NATIVE_CPU = NumberKey("nominal_quota", "a/b", "cpu")
RULES = "scheduling_rules: [{resource_queue: train}] # all\n"


def to(value: str, key: NumberKey = CPU) -> NumberChange:
    return NumberChange(key=key, value=value)


@pytest.fixture
def kueue(owner: Actor) -> ConfigVersion:
    """An active Kueue config."""
    return apply_config(owner, "kueue", KUEUE_TEXT, "", 0)


def versions(org: Organization) -> int:
    return ConfigVersion.objects.filter(org=org).count()


def test_a_change_makes_a_version_with_only_the_number(owner: Actor, kueue: ConfigVersion) -> None:
    version, proposal = change_numbers(owner, ML, [to(" 12 ")], "More CPUs", 1, accept=())
    assert (version.number, version.message, version.author) == (2, "More CPUs", owner.name)
    assert version.text == KUEUE_TEXT.replace('"9"', '"12"')
    assert (proposal.name, version.consequences) == ("ml", [])
    assert [each.written for each in numbers_of(owner, ML, 2) if each.key == CPU] == ["12"]
    assert [each.written for each in numbers_of(owner, ML, 1) if each.key == CPU] == ["9"]


def test_the_numbers_of_a_cohort_are_changed_too(owner: Actor, kueue: ConfigVersion) -> None:
    version, _ = change_numbers(owner, ObjectKey("cohort", "all"), [to("5")], "", 1)
    assert version.text == KUEUE_TEXT.replace("nominalQuota: 4", "nominalQuota: 5")


def test_the_same_number_is_not_a_version(owner: Actor, kueue: ConfigVersion) -> None:
    version, _ = change_numbers(owner, ML, [to("9")], "", 1)
    assert (version.number, versions(owner.org)) == (1, 1)


def test_a_fixed_queue_gets_a_new_name_in_the_rules_too(owner: Actor) -> None:
    apply_config(owner, "native", NATIVE_TEXT + RULES, "", 0)
    version, proposal = change_numbers(owner, TRAIN, [to("32", NATIVE_CPU)], "", 1, accept=())
    text = NATIVE_TEXT.replace("quota: 24", "quota: 32").replace("name: train", "name: train:v2")
    assert version.text == text + RULES.replace("train", "train:v2")
    assert proposal.name == "train:v2"


def test_wrong_values_are_reported_at_their_fields(owner: Actor) -> None:
    shared = "resource_groups: &same\n"
    text = NATIVE_TEXT.replace("resource_groups:\n", shared)
    text += "    cohort_name: ml\n    resource_groups: *same\n"
    apply_config(owner, "native", text + "scheduling_rules: [{resource_queue: train}]\n", "", 0)
    with pytest.raises(BadRequest) as caught:
        change_numbers(owner, TRAIN, [to("1", NATIVE_CPU)], "", 1)
    assert [(each.path, each.code) for each in caught.value.errors] == [
        ("numbers[0].value", "not_editable")
    ]
    apply_config(owner, "kueue", KUEUE_TEXT, "", 1)
    limit = NumberKey("borrowingLimit", "spot", "cpu")
    changes = [
        *(to(""), to("1"), to("many", limit)),
        to("1", NumberKey("nominalQuota", "other", "cpu")),
    ]
    with pytest.raises(BadRequest) as caught:
        change_numbers(owner, ML, changes, "", 2)
    assert [(each.path, each.code) for each in caught.value.errors] == [
        ("numbers[0].value", "invalid_number"),
        ("numbers[1]", "repeated_number"),
        ("numbers[2].value", "invalid_number"),
        ("numbers[3]", "unknown_number"),
    ]
    assert versions(owner.org) == 2


def test_a_contradiction_is_reported_at_the_changed_number(owner: Actor) -> None:
    text = KUEUE_TEXT.replace("borrowingLimit: 1500m", "lendingLimit: 2")
    apply_config(owner, "kueue", text, "", 0)
    lending = NumberKey("lendingLimit", "spot", "cpu")
    with pytest.raises(BadRequest) as caught:
        propose_numbers(owner, ML, [to("10", lending)], 1)
    (error,) = caught.value.errors
    assert (error.path, error.code) == ("numbers[0].value", "KUE014")
    assert error.message == "lendingLimit 10 is above nominalQuota 9."
    with pytest.raises(ConfigRejected):
        propose_numbers(owner, ML, [to("1")], 1)


def test_a_version_in_between_is_a_conflict(owner: Actor, kueue: ConfigVersion) -> None:
    apply_config(owner, "kueue", f"{KUEUE_TEXT}# 2\n", "", 1)
    with pytest.raises(StaleVersion):
        change_numbers(owner, ML, [to("12")], "", 1)
    assert versions(owner.org) == 2


@pytest.mark.parametrize("name", ["nothing", "all"])
def test_an_object_without_numbers_is_not_found(
    owner: Actor, kueue: ConfigVersion, name: str
) -> None:
    with pytest.raises(NotFound):
        propose_numbers(owner, ObjectKey("queue", name), [to("1")], 1)


def test_without_a_config_there_is_nothing_to_change(owner: Actor) -> None:
    with pytest.raises(NotFound):
        propose_numbers(owner, ML, [to("1")], 0)


def test_consequences_have_to_be_accepted(owner: Actor, kueue: ConfigVersion) -> None:
    # A queue without quota is a new warning.
    with pytest.raises(ConsequencesNotAccepted):
        change_numbers(
            owner,
            ML,
            [to("0"), to("0", NumberKey("borrowingLimit", "spot", "cpu"))],
            "",
            1,
            accept=(),
        )
    assert versions(owner.org) == 1


def test_only_those_who_may_apply_change_numbers(viewer: Actor, kueue: ConfigVersion) -> None:
    with pytest.raises(NotAllowed):
        change_numbers(viewer, ML, [to("12")], "", 1)
