"""The impact of other numbers while they are typed: outcomes, names, and what limits the queue."""

from __future__ import annotations

import pytest

from console.configs.services import preview_impact as module
from console.configs.services.apply_config import apply_config
from console.configs.services.check_config import check_config
from console.configs.services.preview_impact import ImpactPreview, preview_impact, preview_size
from console.engine.impact import LiveOutcome
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import Workload
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.conftest import settled

pytestmark = pytest.mark.django_db

CONFIG = """\
resource_flavors: [{ name: a100 }]
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu, cpu]
        flavors:
          - name: a100
            resources: [{ name: gpu, nominal_quota: 2 }, { name: cpu, nominal_quota: 8 }]
scheduling_rules: [{ resource_queue: train }]
"""
#: The queue's numbers are fixed for its name, so that it has another one.
MORE = CONFIG.replace("name: train", "name: train:v2").replace(
    "resource_queue: train", "resource_queue: train:v2"
)


@pytest.fixture
def busy(org: Organization, owner: Actor) -> Organization:
    """Two running and two pending workloads of one GPU and three CPUs."""
    apply_config(owner, "native", CONFIG, "", 0)
    items = [{"name": f"w{i}", "requests": {"gpu": 1, "cpu": 3}} for i in range(4)]
    submit_workloads(owner, read_submissions(items))
    settled(org)
    return org


def previewed(actor: Actor, text: str, base: int = 1) -> ImpactPreview | None:
    reading = check_config(actor, "native", text)
    assert reading.policy is not None, reading.errors
    return preview_impact(actor, reading.policy, base, "train:v2")


def states(org: Organization) -> dict[str, str]:
    return dict(Workload.objects.filter(org=org).values_list("name", "state"))


def test_a_preview_names_what_would_start_and_changes_nothing(
    busy: Organization, owner: Actor
) -> None:
    before = states(busy)
    found = previewed(owner, MORE.replace("nominal_quota: 2", "nominal_quota: 6"))
    assert found is not None
    (group,) = found.impact.groups.values()
    assert list(found.impact.groups) == [LiveOutcome.STARTS]
    assert (group.count, sorted(found.names.values())) == (2, ["w2", "w3"])
    assert {each.resource: (each.used, each.entitled, each.demand) for each in found.balances} == {
        "gpu": (2000, 6000, 0),
        "cpu": (6000, 8000, 0),
    }
    assert states(busy) == before


def test_the_same_policy_affects_nothing(busy: Organization, owner: Actor) -> None:
    reading = check_config(owner, "native", CONFIG)
    assert reading.policy is not None
    found = preview_impact(owner, reading.policy, 1, "train")
    assert found is not None
    assert (found.impact.groups, found.names) == ({}, {})
    assert {each.resource: each.binds for each in found.balances} == {"gpu": True, "cpu": True}


def test_the_costs_grow_with_text_and_workloads(
    busy: Organization, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert preview_size(owner, CONFIG) == len(CONFIG) + 4 * 30
    monkeypatch.setattr(module, "MOST_LIVE", 3)
    assert preview_size(owner, CONFIG) == len(CONFIG)


def test_too_many_live_workloads_are_left_to_an_impact_run(
    busy: Organization, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_LIVE", 3)
    assert previewed(owner, MORE) is None
