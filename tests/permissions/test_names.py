"""Names in preemptions: no address shows the other workload without permission to review both."""

from __future__ import annotations

import pytest

from tests.permissions.conftest import Stage
from tests.permissions.sending import ask
from tests.permissions.table import Line

#: Addresses about a preempted workload, which refer to the preempting one.
ADDRESSES = [
    "/o/$org/workloads/$stopped",
    "/o/$org/workloads/$stopped?as=markdown",
    "/o/$org/workloads/$stopped?trace=json",
    "/o/$org/workloads/$stopped?trace=technical",
    "/o/$org/workloads/$stopped?tab=timeline",
    "/o/$org/workloads/$stopped?tab=spec",
    "/o/$org/workloads/$stopped?v=1.old",
    "/o/$org/workloads/$stopped/trace",
    "/o/$org/workloads/$stopped/decisions/$preemption",
    "/o/$org/workloads/$stopped/decisions/$preemption?as=markdown",
    "/o/$org/workloads/$stopped/preemptions/$preemption",
    "/o/$org/events?type=REQUEST_PREEMPTED",
    "/o/$org/events?type=REQUEST_PREEMPTED&as=ndjson",
    "/o/$org/events?type=REQUEST_PREEMPTED&as=csv",
    "/api/v1/orgs/$org/workloads/$stopped",
    "/api/v1/orgs/$org/workloads/$stopped/explanation",
    "/api/v1/orgs/$org/workloads/$stopped/preemptions",
    "/api/v1/orgs/$org/workloads/$stopped/preemptions/$preemption",
    "/api/v1/orgs/$org/events?type=REQUEST_PREEMPTED",
    "/api/v1/orgs/$org/events?type=REQUEST_PREEMPTED&as=ndjson",
    "/api/v1/orgs/$org/decisions?after=$before&limit=1",
    "/api/v2/scheduler/events?event_type=REQUEST_PREEMPTED",
]


@pytest.mark.parametrize("path", ADDRESSES)
def test_names_of_preempting_workloads_need_permission_to_review_both(
    path: str, stage: Stage
) -> None:
    line = Line(takes="READ", method="GET", path=path, status=200, body="")
    told = {}
    for role in ("viewer", "submitter", "operator", "editor", "owner"):
        caller = stage.caller(f"token of {role} here" if "/api/" in path else f"{role} here")
        answer = ask(caller, line, stage.names(caller))
        assert answer.status == 200
        told[role] = any(
            each.encode() in answer.body for each in (str(stage.here["winner"]), "orchard-wins")
        )
    assert told == {
        "viewer": False,
        "submitter": False,
        "operator": True,
        "editor": True,
        "owner": True,
    }
