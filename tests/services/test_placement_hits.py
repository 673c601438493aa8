"""Placement rules with the numbers of workloads that they place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from console.configs.services.apply_config import apply_config
from console.orgs.permissions import Actor
from console.policies.models import ActiveConfig, ConfigVersion
from console.workloads.queries.hierarchy import placement_hits
from console.workloads.queries.hierarchy.placement_hits import PlacementHits, placement_hits_of
from console.workloads.queries.recent_history import forget_histories
from tests.conftest import settled
from tests.hierarchy import submit

CONFIG: Final = """\
partitions:
  - name: default
    placementrules:
      - {name: provided, create: true}
      - {name: user, create: true, filter: {type: allow, users: ["^[a-z]+$"]}}
    queues:
      - {name: root, submitacl: "*"}
"""

OTHER: Final = "resource_queues:\n  - name: ml\nscheduling_rules:\n  - resource_queue: ml\n"


@pytest.fixture(autouse=True)
def _history() -> Iterator[None]:
    """Read the history anew."""
    forget_histories()
    yield
    forget_histories()


def hits_of(actor: Actor) -> PlacementHits:
    """Return the hits in an organization with rules."""
    found = placement_hits_of(actor.org)
    assert found is not None
    return found


def test_a_queue_that_cannot_be_created_is_none(owner: Actor) -> None:
    apply_config(owner, "yunikorn", CONFIG, "", 0)
    settled(owner.org)
    submit(owner, "made", "root.a", user="sue", cpu=1)
    submit(owner, "refused", "root.new.@recovery@", user="sue", cpu=1)
    found = hits_of(owner)
    assert [each.placed for each in found.rules] == [1, 0]
    assert (found.by_default, found.rejected, found.unknown) == (0, 1, 0)


def test_users_that_were_not_recorded_are_not_known(owner: Actor) -> None:
    apply_config(owner, "native", OTHER, "", 0)
    submit(owner, "old", user="sue", cpu=1)
    ConfigVersion.objects.create(
        org=owner.org, number=2, dialect="yunikorn", text=CONFIG, author="owner"
    )
    ActiveConfig.objects.filter(org=owner.org).update(number=2)
    found = hits_of(owner)
    assert (found.version, found.rejected, found.unknown) == (2, 0, 1)


def test_workloads_are_counted_once_for_each_history_and_policy(
    owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply_config(owner, "yunikorn", CONFIG, "", 0)
    settled(owner.org)
    submit(owner, "made", "root.a", user="sue", cpu=1)
    counted: list[None] = []
    count = placement_hits._counts

    def counting(*given: object) -> object:
        counted.append(None)
        return count(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(placement_hits, "_counts", counting)
    assert [hits_of(owner).rules[0].placed for _ in range(2)] == [1, 1]
    assert len(counted) == 1
    forget_histories()
    assert hits_of(owner).rules[0].placed == 1
    apply_config(owner, "yunikorn", CONFIG.replace("provided, create: true", "provided"), "", 1)
    assert [each.placed for each in hits_of(owner).rules] == [0, 1]
    assert len(counted) == 3
