"""The overview over HTTP: attention items as codes, and the numbers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.configs.services.apply_config import apply_config
from console.orgs.models import ApiToken, Organization
from console.orgs.permissions import Actor
from console.workloads.services.hold_queue import hold_queue

CONFIG = """\
resource_flavors: [{name: any}]
resource_queues:
  - name: team
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: any, resources: [{name: gpu, nominal_quota: 4}]}]
  - name: web
scheduling_rules: [{resource_queue: team}]
"""


@pytest.fixture
def busy(api: Any, owner: Actor, settle: Any) -> Any:
    client = api(owner)
    apply_config(owner, "native", CONFIG, "", 0)
    wanted = [{"name": f"w{gpu}", "requests": {"gpu": gpu}} for gpu in (3, 2, 5)]
    client.post("workloads", {"workloads": wanted})
    settle(owner.org)
    return client


def test_the_overview(busy: Any, owner: Actor, settle: Any) -> None:
    hold = hold_queue(owner, "web", "moving racks")
    settle(owner.org)
    answer = busy.get("overview").body
    never, held = answer["attention"]
    assert (never.pop("since") is not None, never.pop("subjects")[0]["name"]) == (True, "team")
    assert never == {
        "key": "cannot_run.exceeds_max_quota",
        "code": "cannot_run",
        "reason": "exceeds_max_quota",
        "level": "error",
        "count": 1,
        "is_exact": True,
        "link": "/api/v1/orgs/here/workloads?state=pending&reason=exceeds_max_quota",
    }
    since = f"{hold.since:%Y-%m-%dT%H:%M:%S}"
    (queue,) = held["subjects"]
    assert queue.pop("since").startswith(since)
    assert queue == {
        "name": "web",
        "number": None,
        "count": 0,
        "until": None,
        "actor": owner.name,
        "note": "moving racks",
    }
    assert (held["code"], held["reason"], held["link"]) == (
        "queue_held",
        None,
        "/api/v1/orgs/here/queues/web",
    )
    assert answer["numbers"] == {
        "running": {"now": 1, "week_ago": None},
        "pending": {"now": 2, "week_ago": None, "cannot_run": 1},
        "rejected": {"now": 0, "week_ago": None},
    }
    assert answer["usage"] == [
        {
            "flavor": "any",
            "resource": "gpu",
            "nominal": 4,
            "used": 3,
            "over": 0,
            "demand": 2,
            "cannot_run_demand": 5,
        }
    ]
    assert answer["waits"]["n"] == 1


def test_nothing_needs_attention(api: Any, owner: Actor, org: Organization) -> None:
    answer = api(owner).get("overview").body
    assert answer["attention"] == []
    assert answer["usage"] == []


def test_token_items_need_permission_to_manage_tokens(
    api: Any, owner: Actor, viewer: Actor, org: Organization
) -> None:
    reader, manager = api(viewer), api(owner)
    ApiToken.objects.update(expires_at=timezone.now() + timedelta(days=90))
    soon = ApiToken.objects.order_by("pk").first()
    assert soon is not None
    ApiToken.objects.filter(pk=soon.pk).update(expires_at=timezone.now() + timedelta(days=3))
    assert reader.get("overview").body["attention"] == []
    (item,) = manager.get("overview").body["attention"]
    assert (item["code"], [each["name"] for each in item["subjects"]]) == (
        "token_expires",
        [soon.name],
    )
