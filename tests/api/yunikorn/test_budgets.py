"""The number of queries of each address, which does not grow with workloads, queues and nodes."""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from console.capacity.services.report_cluster import report_cluster
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from tests.api.conftest import Api
from tests.api.yunikorn.conftest import NODES, Busy
from tests.conftest import settled, with_token

_P = "partition/default"

#: Address -> its queries, of which one finds the token and one the config.
BUDGETS = {
    "clusters": 3,
    "partitions": 14,
    "config": 2,
    f"{_P}/placementrules": 2,
    f"{_P}/queues": 9,
    f"{_P}/queue/root.team.a": 9,
    f"{_P}/queue/root.team.a/applications": 11,
    f"{_P}/applications/active": 8,
    f"{_P}/applications/rejected": 6,
    f"{_P}/application/$one": 5,
    f"{_P}/nodes": 10,
    f"{_P}/node/n1": 10,
    f"{_P}/usage/users": 10,
    f"{_P}/usage/user/ann": 10,
    f"{_P}/usage/groups": 10,
    "history/apps": 4,
    "history/containers": 12,
    "events/batch": 5,
    "scheduler/healthcheck": 6,
    "scheduler/node-utilizations": 5,
}


def queries(busy: Busy, path: str) -> list[str]:
    """Return the queries of a second request, when what is kept between requests is known."""
    address = path.replace("$one", busy.ids["one"])
    busy.rest.client.get(f"/ws/v1/{address}")
    with CaptureQueriesContext(connection) as found:
        assert busy.rest.client.get(f"/ws/v1/{address}").status_code == 200
    return [each["sql"] for each in found.captured_queries]


def test_queries_stay_within_their_budgets(busy: Busy, org: Organization, owner: Actor) -> None:
    few = {path: len(queries(busy, path)) for path in BUDGETS}
    assert few == BUDGETS
    nodes = [{"name": f"m{number}", "allocatable": {"cpu": 8}} for number in range(20)]
    report_cluster(owner, "east", {"nodes": NODES["nodes"] + nodes})
    workloads: list[dict[str, Any]] = [
        {
            "name": f"more-{number}",
            "type": "job",
            "user": f"user-{number}",
            "groups": ["dev"],
            "namespace": f"space-{number}",
            "requests": {"cpu": 0.5},
        }
        for number in range(30)
    ]
    refused = [{**each, "tags": {"queue": "root.none"}, "namespace": ""} for each in workloads]
    api = Api(with_token(owner), org.slug)
    assert api.post("workloads", {"workloads": workloads + refused}).status == 202
    settled(org)
    many = {path: len(queries(busy, path)) for path in BUDGETS}
    assert many == few
    assert len(busy.rest.read(f"{_P}/queue/root.spaces")["childNames"]) > 1
