"""Fixtures: a client of the protocol, and an organization with a config of YuniKorn."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from console.capacity.services.report_cluster import report_cluster
from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization, Role
from console.orgs.permissions import Actor
from console.orgs.services.issue_token import issue_token
from console.policies.models import ActiveConfig, ConfigVersion
from tests.api.conftest import Api
from tests.conftest import settled, with_token

BASE = "/ws/v1"

#: Two partitions; in the first, namespaces get queues with a template.
CONFIG = """\
partitions:
  - name: default
    nodesortpolicy: {type: binpacking}
    preemption: {enabled: false, quotapreemptionenabled: true}
    placementrules:
      - name: provided
        filter: {type: deny, users: ["^svc-.*$"]}
      - name: tag
        value: Namespace
        create: true
        filter: {users: [ann, bob], groups: [dev]}
        parent: {name: fixed, value: root.spaces, create: true}
    queues:
      - name: root
        submitacl: "*"
        properties: {preemption.delay: 90s, priority.offset: "5"}
        queues:
          - name: Team
            maxapplications: 10
            resources:
              guaranteed: {vcore: 2, memory: 2G}
              max: {vcore: 4, memory: 4G}
            limits:
              - {limit: "", users: [ann], maxapplications: 2, maxresources: {vcore: 3}}
              - {limit: "", groups: [dev, "*"], maxapplications: 5}
            queues:
              - name: a
                maxapplications: 6
                resources: {max: {vcore: 3}}
                properties: {application.sort.policy: fair, preemption.policy: fence}
              - name: b
                maxapplications: 4
          - name: spaces
            parent: true
            childtemplate:
              maxapplications: 3
              properties: {application.sort.policy: fair}
              resources: {max: {vcore: 1}}
  - name: gpu
    queues:
      - {name: c, submitacl: "*"}
"""


@dataclass(frozen=True)
class Answer:
    """A response with its decoded body."""

    status: int
    body: Any
    headers: Any

    @property
    def error(self) -> tuple[int, str, str]:
        """The status, the text of YuniKorn and the sentence of an error."""
        assert self.body.keys() == {"status_code", "message", "description"}
        assert self.body["status_code"] == self.status
        return self.status, self.body["message"], self.body["description"]


class Rest:
    """A client of the protocol with one token."""

    def __init__(self, token: str) -> None:
        self.client = Client(headers={"authorization": f"Bearer {token}"})

    def get(self, path: str, **headers: str) -> Answer:
        """GET a path."""
        return answer_of(self.client.get(f"{BASE}/{path}", headers=headers))

    def read(self, path: str) -> Any:
        """Return what a GET of a path answers."""
        answer = self.get(path)
        assert answer.status == 200, answer.body
        return answer.body

    def post(self, path: str, body: str | bytes, kind: str = "text/plain") -> Answer:
        """POST a text of any content type."""
        return answer_of(self.client.post(f"{BASE}/{path}", body, content_type=kind))


def answer_of(response: Any) -> Answer:
    """Return a response in JSON with its decoded body."""
    assert response.headers["Content-Type"] == "application/json"
    return Answer(response.status_code, json.loads(response.content), response.headers)


@pytest.fixture
def activate(org: Organization) -> Callable[[str, str], ConfigVersion]:
    """Return a function that makes a text of a config language the active version."""

    def run(text: str, dialect: str = "yunikorn", number: int = 1) -> ConfigVersion:
        version = ConfigVersion.objects.create(
            org=org, number=number, dialect=dialect, text=text, author="owner"
        )
        ActiveConfig.objects.filter(org=org).update(number=number)
        return version

    return run


@pytest.fixture
def rest(org: Organization) -> Rest:
    """The client of a viewer's token."""
    return Rest(issue_token(org, Role.VIEWER, "viewer"))


@pytest.fixture
def scheduler(rest: Rest, activate: Callable[[str], ConfigVersion]) -> Rest:
    """The client of a viewer's token in an organization with `CONFIG`."""
    activate(CONFIG)
    return rest


#: Six cores for the first partition, four for the second.
NODES: dict[str, Any] = {
    "nodes": [
        {"name": "n1", "allocatable": {"cpu": "6", "memory": "8G"}},
        {"name": "n2", "allocatable": {"cpu": "4"}, "labels": {"si/node-partition": "gpu"}},
    ]
}

#: Of these, `waits` has no room in its queue, and no rule places `lost`.
WORKLOADS: list[dict[str, Any]] = [
    {
        "name": "one",
        "priority": 7,
        "user": "ann",
        "groups": ["dev"],
        "tags": {"queue": "root.team.a"},
        "requests": {"cpu": 1, "memory": 1_000_000_000},
    },
    {
        "name": "wide",
        "user": "bob",
        "groups": ["ops"],
        "tags": {"queue": "root.team.b"},
        "pod_sets": [{"name": "w", "count": 5, "requests": {"cpu": 1}}],
    },
    {
        "name": "space",
        "user": "ann",
        "groups": ["dev"],
        "namespace": "blue",
        "requests": {"cpu": 0.5},
    },
    {"name": "lost", "user": "eve", "tags": {"queue": "root.none"}, "requests": {"cpu": 1}},
    {"name": "waits", "user": "cid", "tags": {"queue": "root.team.a"}, "requests": {"cpu": 2}},
    {"name": "other", "user": "ann", "tags": {"queue": "gpu:root.c"}, "requests": {"cpu": 3}},
]


@dataclass(frozen=True)
class Busy:
    """A client in an organization with workloads, and their ids by name."""

    rest: Rest
    ids: dict[str, str]

    def names(self, path: str) -> list[str]:
        """Return the names of the applications at a path."""
        found = {uid: name for name, uid in self.ids.items()}
        return [found[each["applicationID"]] for each in self.rest.read(path)]


@pytest.fixture
def busy(org: Organization, owner: Actor, rest: Rest) -> Busy:
    """Apply the config, report the nodes, submit the workloads and run the engine."""
    apply_config(owner, "yunikorn", CONFIG, "", 0)
    report_cluster(owner, "east", NODES)
    workloads = [{"type": "job", **each} for each in WORKLOADS]
    ids = Api(with_token(owner), org.slug).post("workloads", {"workloads": workloads}).body["ids"]
    settled(org)
    return Busy(rest, dict(zip([each["name"] for each in WORKLOADS], ids, strict=True)))
