"""An organization whose queues divide eight GPUs, as rows that the worker would have written."""

from __future__ import annotations

from dataclasses import replace

import pytest

from console.capacity.services.report_cluster import report_cluster
from console.orgs.permissions import Actor
from console.workloads.models import Engine
from tests.cohorts import activate_policy, use, wait
from tests.engine.fairshare.live import policy, queue

#: The department uses 6 of 4 guaranteed GPUs; other has a quota of 2 and requests 2.
QUEUES = (
    queue("dept", quota=4),
    queue("a", "dept", quota=3),
    queue("b", "dept"),
    queue("other", quota=2, weight=2, priority=200),
)


def fill_shares(owner: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Activate the queues, report two nodes, and write usage and requests."""
    org = owner.org
    activate_policy(org, replace(policy(QUEUES), dialect="native"), monkeypatch)
    nodes = [{"name": f"n{number}", "allocatable": {"gpu": 4}} for number in range(2)]
    report_cluster(owner, "east", {"nodes": nodes})
    use(org, "a", "pool", 3000, running=3)
    use(org, "b", "pool", 3000, running=3)
    wait(org, "a", "no_node_has_room", 1, 2000)
    wait(org, "other", "no_node_has_room", 2, 1000)
    Engine.objects.filter(org=org).update(version=1)
