"""Saved expectations: what a config has to make of label sets, and what it breaks."""

from __future__ import annotations

from console.configs.models import Expectation
from console.configs.services.check_expectations import Broken, check_expectations
from console.dialects.native import DIALECT
from console.engine.policy import Policy
from console.orgs.models import Organization

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
    """Return what a text compiles to."""
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
        Broken(
            name="a lost one",
            queue="default",
            priority=None,
            found_queue=None,
            found_priority=None,
            message="a lost one is expected in default. Rejected: none of the 2 scheduling rules "
            "takes it. Rule 1 asks for team in [ml], and the label is absent.",
        ),
        Broken(
            name="ml",
            queue="default",
            priority=None,
            found_queue="research",
            found_priority=50,
            message="ml is expected in default. Rule 1 takes it to research with priority 50.",
        ),
        Broken(
            name="priority",
            queue="research",
            priority=60,
            found_queue="research",
            found_priority=50,
            message="priority is expected in research with priority 60. "
            "Rule 1 takes it to research with priority 50.",
        ),
        Broken(
            name="strangers",
            queue=None,
            priority=None,
            found_queue="default",
            found_priority=0,
            message="strangers is expected to reach no queue. "
            "Rule 2 takes it to default with priority 0.",
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
