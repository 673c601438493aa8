"""A worker without cached state keeps its lease while it reads a large state and others write."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connections
from django.db.backends.sqlite3.base import DatabaseWrapper

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization, Role
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.workloads.lease import Lease
from console.workloads.models import Decision, Engine, State
from console.workloads.services import load_state as loader
from console.workloads.services.run_engine import forget_states, run_engine
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission

#: More rows than Django fetches at a time, so that a cursor stays open in between.
MANY = 2500

#: Rows of one stretch in this test.
STRETCH = 500

CONFIG = """
resource_flavors:
  - name: any
resource_queues:
  - name: open
  - name: closed
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - {name: any, resources: [{name: gpu, nominal_quota: 1}]}
scheduling_rules:
  - {selector: [{key: team, operator: in, values: [late]}], resource_queue: closed}
  - {resource_queue: open}
"""


@pytest.fixture
def file(tmp_path: Path, db: None) -> Iterator[Path]:
    """
    Use an SQLite file as the default database, with the options of the product.

    An in-memory database has a single connection; the tested behavior needs two.
    """
    path = tmp_path / "sluice.sqlite3"
    usual = connections["default"]
    if usual.vendor != "sqlite":
        pytest.skip("the tested behavior is specific to SQLite")
    usual.ensure_connection()
    copy = sqlite3.connect(path)
    copy.executescript("\n".join(usual.connection.iterdump()))
    copy.close()
    options = settings.DATABASES["default"]["OPTIONS"]
    connections["default"] = DatabaseWrapper(
        {**usual.settings_dict, "NAME": str(path), "OPTIONS": options}, alias="default"
    )
    forget_states()
    try:
        yield path
    finally:
        forget_states()
        connections["default"].close()
        connections["default"] = usual


def _submissions(team: str, gpu: int, count: int) -> list[Submission]:
    return [
        Submission(name=f"{team}-{number}", tags={"team": team}, requests={"gpu": gpu})
        for number in range(count)
    ]


def _submit(org: Organization, team: str, gpu: int, count: int) -> None:
    actor = Actor(org=org, role=Role.OWNER, name="owner", key="user:0")
    for begin in range(0, count, 500):
        submit_workloads(actor, _submissions(team, gpu, min(500, count - begin)))


@pytest.mark.parametrize(
    ("team", "state"), [("early", State.ADMITTED), ("late", State.PENDING)], ids=["run", "wait"]
)
def test_lease_is_renewed_between_stretches_while_others_write(
    file: Path, team: str, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    org = create_org("here", "Here", owner=None)
    actor = Actor(org=org, role=Role.OWNER, name="owner", key="user:0")
    apply_config(actor, "native", CONFIG, "", 0)
    _submit(org, team, 2000, MANY)
    run_engine(org.pk, seconds=600)
    assert Engine.objects.get(org=org).counts[state] == MANY
    writer = sqlite3.connect(file, isolation_level=None)
    renewed: list[int] = []

    def renew_late(lease: Lease) -> None:
        """Renew the lease each time, as if reading a stretch took seconds."""
        writer.execute("UPDATE orgs_organization SET name = name || '.'")
        lease.renew()
        renewed.append(lease.fence)

    monkeypatch.setattr(loader, "_STRETCH", STRETCH)
    monkeypatch.setattr(Lease, "renew_if_aged", renew_late)
    forget_states()
    _submit(org, "early", 1000, 3)
    try:
        assert run_engine(org.pk, seconds=600).decisions == 3
    finally:
        writer.close()
    # At least once after each stretch, and before each batch.
    assert len(renewed) > MANY / STRETCH
    newest = Decision.objects.order_by("-pk").values_list("workload__name", "outcome")[:3]
    assert sorted(newest) == [(f"early-{number}", "admitted") for number in range(3)]
