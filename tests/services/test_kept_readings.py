"""The cache of parsed texts never hides current workloads or current immutable queues."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from console.configs.services.apply_config import apply_config
from console.configs.services.consequences import find_consequences
from console.configs.services.lint_config import lint_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import Workload
from console.workloads.queries.recent_history import forget_histories
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.run_engine import forget_states
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission
from tests.conftest import member

Settle = Callable[[Organization], int]

TEXT = """\
resource_flavors: [{name: any}]
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: any, resources: [{name: gpu, nominal_quota: 4}]}]
scheduling_rules:
  - {resource_queue: train}
"""
#: A config without the queue and without a similar one.
OTHER = """\
resource_flavors: [{name: any}, {name: spot}]
resource_queues:
  - name: other
    cohort_name: lab
    resource_groups:
      - covered_resources: [cpu]
        flavors: [{name: spot, resources: [{name: cpu, nominal_quota: 100}]}]
scheduling_rules:
  - {resource_queue: other, selector: [{key: team, operator: in, values: [vision]}]}
  - {resource_queue: other}
"""


@pytest.fixture(autouse=True)
def _cold() -> Iterator[None]:
    forget_states()
    forget_histories()
    yield
    forget_states()
    forget_histories()


def codes(actor: Actor, text: str) -> list[str]:
    """Return the codes of the findings in a text, without lints of the text alone."""
    findings = lint_config(actor, "native", text).findings
    return [each.code for each in findings if each.code not in ("NAT023", "NAT025")]


def consequences(actor: Actor, text: str) -> list[str]:
    return [each.code for each in find_consequences(actor, "native", text)]


def test_work_that_starts_and_ends_is_seen_at_once(
    org: Organization, owner: Actor, settle: Settle
) -> None:
    apply_config(owner, "native", TEXT, "", 0)
    assert codes(owner, OTHER) == []
    assert consequences(owner, OTHER) == ["warnings_added"]
    submit_workloads(owner, [Submission(name="w", tags={}, requests={"gpu": 2000})])
    settle(org)
    # The same texts as before.
    assert codes(owner, OTHER) == ["LNT011"]
    assert consequences(owner, OTHER) == ["queue_drains", "warnings_added"]
    finish_workloads(owner, [Workload.objects.get(org=org).uid])
    settle(org)
    assert codes(owner, OTHER) == []
    assert consequences(owner, OTHER) == ["warnings_added"]


def test_an_organization_is_not_told_what_another_one_fixed_or_runs(
    org: Organization, other_org: Organization, owner: Actor, settle: Settle
) -> None:
    other_owner = member(other_org, "owner")
    less = TEXT.replace("nominal_quota: 4", "nominal_quota: 1")
    apply_config(owner, "native", TEXT, "", 0)
    submit_workloads(owner, [Submission(name="w", tags={}, requests={"gpu": 2000})])
    settle(org)
    for _ in range(2):
        assert codes(owner, less) == ["NAT015"]
        assert codes(other_owner, less) == []
        assert codes(owner, OTHER) == ["LNT011"]
        assert codes(other_owner, OTHER) == []
