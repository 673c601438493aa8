"""Saved expectations: checks of a config's routing, and saving, renaming and deleting them."""

from __future__ import annotations

import pytest

from console.configs.models import Expectation
from console.configs.services.check_expectations import BrokenExpectation, check_expectations
from console.configs.services.save_expectations import (
    delete_expectations,
    save_expectation,
    save_expectations,
)
from console.dialects.native import DIALECT
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.expectations import ExpectedRoute
from console.engine.wording.reasons import event_sentence
from console.errors import BadRequest, Conflict, NotAllowed, NotFound
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import Event

TEXT = """\
resource_queues:
  - name: research
  - name: default
scheduling_rules:
  - resource_queue: research
    selector: [{key: team, operator: in, values: [ml]}]
    priority_policy: {default: 50}
  - resource_queue: default
    selector: [{key: team, operator: exists}]
"""


def policy(text: str = TEXT) -> Policy:
    """Return the policy compiled from *text*."""
    reading = DIALECT.read(text, {})
    assert reading.policy is not None, reading.errors
    return reading.policy


def expect(org: Organization, name: str, queue: str | None, **fields: object) -> None:
    """Save one expectation."""
    Expectation.objects.create(org=org, name=name, queue=queue, author="a token", **fields)


def test_expectations_that_hold_are_not_told(org: Organization):
    expect(org, "ml", "research", labels={"team": "ml"}, effective_priority=50)
    expect(org, "others", "default", labels={"team": "web"})
    expect(org, "strangers", None)
    assert check_expectations(org, policy()) == ()


def test_a_broken_expectation_says_what_was_expected_and_what_comes_of_it(org: Organization):
    expect(org, "a lost one", "default")
    expect(org, "ml", "default", labels={"team": "ml"})
    expect(org, "priority", "research", labels={"team": "ml"}, effective_priority=60)
    expect(org, "strangers", None, labels={"team": "web"})
    assert check_expectations(org, policy()) == (
        BrokenExpectation(
            name="a lost one",
            queue="default",
            priority=None,
            found_queue=None,
            found_priority=None,
            message="a lost one is expected in default. Rejected: none of the 2 scheduling rules "
            "accepts it. Rule 1 requires team in [ml], but the label is absent.",
        ),
        BrokenExpectation(
            name="ml",
            queue="default",
            priority=None,
            found_queue="research",
            found_priority=50,
            message="ml is expected in default. Rule 1 routes it to research with priority 50.",
        ),
        BrokenExpectation(
            name="priority",
            queue="research",
            priority=60,
            found_queue="research",
            found_priority=50,
            message="priority is expected in research with priority 60. "
            "Rule 1 routes it to research with priority 50.",
        ),
        BrokenExpectation(
            name="strangers",
            queue=None,
            priority=None,
            found_queue="default",
            found_priority=0,
            message="strangers is expected to reach no queue. "
            "Rule 2 routes it to default with priority 0.",
        ),
    )


def test_without_rules_nothing_is_rejected_and_no_queue_is_reached(org: Organization):
    expect(org, "any", None)
    expect(org, "ml", "research")
    found = check_expectations(org, policy("{}"))
    assert [(each.name, each.found_queue) for each in found] == [("any", None), ("ml", None)]


def test_expectations_of_another_organization_are_not_looked_at(
    org: Organization, other_org: Organization
):
    expect(other_org, "ml", "nowhere")
    assert check_expectations(org, policy()) == ()


def expected(name: str, queue: str | None = "research", **labels: str) -> ExpectedRoute:
    """Return an expectation for a workload with two pods of half a gpu each."""
    pods = (PodSet(count=2, requests={"gpu": 500}),)
    workload = Workload(id="any", sequence=0, labels=labels, pod_sets=pods)
    return ExpectedRoute(name=name, workload=workload, queue=queue)


def test_the_saved_expectation_is_checked(editor: Actor, org: Organization):
    (row,) = save_expectations(editor, [expected("ml", team="ml")])
    assert (row.labels, row.requests, row.author) == ({"team": "ml"}, {"gpu": 1000}, editor.name)
    assert check_expectations(org, policy()) == ()
    save_expectations(editor, [expected("ml", "default", team="ml")])
    assert [each.queue for each in check_expectations(org, policy())] == ["default"]
    assert Expectation.objects.get().pk == row.pk


def test_roles_without_drafts_save_and_delete_nothing(operator: Actor, org: Organization):
    expect(org, "ml", "research")
    for attempt in (
        lambda: save_expectations(operator, [expected("other")]),
        lambda: save_expectation(operator, expected("other"), None),
        lambda: delete_expectations(operator, ["ml"]),
    ):
        with pytest.raises(NotAllowed):
            attempt()
    assert [row.name for row in Expectation.objects.all()] == ["ml"]


def test_one_is_renamed_and_never_takes_the_name_of_another(editor: Actor, org: Organization):
    expect(org, "one", "research")
    expect(org, "two", "default")
    one = Expectation.objects.get(name="one")
    assert save_expectation(editor, expected("three"), one.pk).pk == one.pk
    for number in (one.pk, None):
        with pytest.raises(BadRequest):
            save_expectation(editor, expected("two"), number)
    assert [(row.name, row.queue) for row in Expectation.objects.all()] == [
        ("three", "research"),
        ("two", "default"),
    ]


def test_one_of_another_organization_is_not_there(editor: Actor, other_org: Organization):
    expect(other_org, "theirs", "research")
    theirs = Expectation.objects.get()
    with pytest.raises(NotFound):
        save_expectation(editor, expected("mine"), theirs.pk)
    assert delete_expectations(editor, ["theirs"]) == 0
    assert Expectation.objects.get() == theirs


def recorded_events() -> list[tuple[str, str, dict[str, object]]]:
    """Return type, actor and facts of the events, oldest first."""
    return [(row.type, row.actor, row.data) for row in Event.objects.order_by("pk")]


def facts(name: str, queue: str | None, **labels: str) -> dict[str, object]:
    """Return the facts in events about an expectation made by `expected`."""
    return {
        "name": name,
        "labels": labels,
        "namespace": "",
        "user": "",
        "groups": [],
        "priority": None,
        "requests": {"gpu": 1000},
        "queue": queue,
        "effective_priority": None,
    }


def test_every_change_is_an_event_with_what_was_before(editor: Actor, owner: Actor):
    save_expectations(editor, [expected("b"), expected("a", team="ml")])
    # Saving it unchanged is no change.
    save_expectations(owner, [expected("a", "default", team="ml"), expected("b")])
    number = Expectation.objects.get(name="a").pk
    save_expectation(editor, expected("c", None, team="web"), number)
    save_expectation(editor, expected("c", None, team="web"), number)
    assert delete_expectations(owner, ["b", "never there"]) == 1
    first, second, third = (
        facts("a", "research", team="ml"),
        facts("a", "default", team="ml"),
        facts("c", None, team="web"),
    )
    b = facts("b", "research")
    assert recorded_events() == [
        ("EXPECTATION_SAVED", editor.name, {"name": "a", "after": first}),
        ("EXPECTATION_SAVED", editor.name, {"name": "b", "after": b}),
        ("EXPECTATION_SAVED", owner.name, {"name": "a", "before": first, "after": second}),
        ("EXPECTATION_SAVED", editor.name, {"name": "c", "before": second, "after": third}),
        ("EXPECTATION_DELETED", owner.name, {"name": "b", "before": b}),
    ]
    assert [event_sentence(kind, data) for kind, _, data in recorded_events()] == [
        "Expectation a was added: its workload is expected in research.",
        "Expectation b was added: its workload is expected in research.",
        (
            "Expectation a was changed: its workload is expected in default (before: expected in "
            "research)."
        ),
        (
            "Expectation c was changed: renamed from a; its workload is expected to reach no "
            "queue (before: expected in default); its workload has other labels."
        ),
        "Expectation b was deleted: its workload was expected in research.",
    ]


def test_refused_saves_leave_no_event(editor: Actor, operator: Actor, org: Organization):
    many = [expected(str(number)) for number in range(501)]
    with pytest.raises(Conflict):
        save_expectations(editor, many)
    with pytest.raises(NotAllowed):
        save_expectations(operator, many[:1])
    assert (Expectation.objects.count(), recorded_events()) == (0, [])


def test_those_who_save_at_once_do_not_exceed_what_an_apply_can_check(race, org: Organization):
    actor = Actor(org=org, role="owner", name="somebody", key="token:1")

    def save(racer: int) -> int:
        return len(save_expectations(actor, [expected(f"{racer}-{i}") for i in range(100)]))

    came = race(save)
    refused = [each for each in came if isinstance(each, Conflict)]
    assert sorted(each for each in came if isinstance(each, int)) == [100] * 5
    assert [each.code for each in refused] == ["too_many_expectations"]
    assert Expectation.objects.filter(org=org).count() == 500
