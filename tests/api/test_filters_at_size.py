"""Filters in an organization with many objects: SQL conditions do not grow with their number."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from console.api.base import OrgView
from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions

QUEUES, RESOURCES = 70, 16

RESOURCE = "example.com/r7-3"

#: More values of a repeatable parameter than SQLite allows terms in a condition.
MANY = 1100


def big_config() -> str:
    """Return queues of sixteen resources each, without common resources."""
    parts = []
    for number in range(QUEUES):
        names = [f"example.com/r{number}-{each}" for each in range(RESOURCES)]
        quotas = ", ".join(f"{{name: {name}, nominalQuota: 2}}" for name in names)
        parts.append(f"""\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {{name: f{number}}}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {{name: q{number}}}
spec:
  namespaceSelector: {{}}
  resourceGroups:
    - coveredResources: [{", ".join(names)}]
      flavors:
        - {{name: f{number}, resources: [{quotas}]}}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {{name: lq{number}, namespace: team}}
spec: {{clusterQueue: q{number}}}
""")
    return "---\n".join(parts)


@pytest.fixture
def large_org(owner: Actor, settle: Callable[[Organization], int]) -> Organization:
    """Return an organization with 1,120 resources and one running workload."""
    apply_config(owner, "kueue", big_config(), "first", 0)
    labels = {"kueue.x-k8s.io/queue-name": "lq7"}
    asked = [{"name": "runs", "namespace": "team", "tags": labels, "requests": {RESOURCE: 1}}]
    submit_workloads(owner, read_submissions(asked))
    settle(owner.org)
    return owner.org


def lists() -> Iterator[tuple[str, type[OrgView]]]:
    """Yield each API address whose only parameter is an organization, and its view."""

    def walk(patterns: list, path: str) -> Iterator[tuple[str, type[OrgView]]]:
        for each in patterns:
            here = path + str(each.pattern)
            if isinstance(each, URLResolver):
                yield from walk(each.url_patterns, here)
            elif isinstance(each, URLPattern):
                view = getattr(each.callback, "cls", None)
                if isinstance(view, type) and issubclass(view, OrgView) and hasattr(view, "get"):
                    yield here.replace("<slug:org>", "here").replace("<str:org>", "here"), view

    found = walk(get_resolver().url_patterns, "/")
    return (pair for pair in found if "<" not in pair[0])


VALUES = ("f7", "q7", RESOURCE, "team", "1", "true", "2026-01-01T00:00:00Z")


def test_an_event_is_found_by_its_flavor(large_org: Organization, owner: Actor, api) -> None:
    client = api(owner)
    found = client.get("events?flavor=f7&flavor=f8").body["results"]
    assert [(each["type"], each["data"]["flavors"]) for each in found] == [
        ("REQUEST_ADMITTED", {RESOURCE: "f7"})
    ]
    assert client.get("events?flavor=f8").body["results"] == []
    many = "&".join(f"flavor=f{number}" for number in range(QUEUES))
    assert client.get(f"events?{many}").body["results"] == found


@pytest.mark.parametrize("query", ["", "&as=csv", "&as=ndjson"])
def test_pages_and_exports_filter_by_flavor(
    query: str, large_org: Organization, owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    answer = client_for(owner).get(f"/o/here/events?flavor=f7{query}")
    text = b"".join(answer) if answer.streaming else answer.content
    assert (answer.status_code, b"f7" in text) == (200, True)


def test_no_filter_of_the_api_grows_with_the_objects(
    large_org: Organization, owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    browser = client_for(owner)
    asked, failed = 0, []
    for path, view in lists():
        for name in view.parameters:
            values = list(VALUES)
            if name in view.repeatable:
                values.append(f"&{name}=".join(f"x{number}" for number in range(MANY)))
            for value in values:
                answer = browser.get(f"{path}?{name}={value}")
                asked += 1
                if answer.status_code >= 500:
                    failed.append((path, name, value[:20]))
    assert failed == []
    assert asked > 200
