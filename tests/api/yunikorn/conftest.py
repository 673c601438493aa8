"""Fixtures: a client of the protocol, and an organization with a config of YuniKorn."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from console.orgs.models import Organization, Role
from console.orgs.services.issue_token import issue_token
from console.policies.models import ActiveConfig, ConfigVersion

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
      - name: c
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

    def run(text: str, dialect: str = "yunikorn") -> ConfigVersion:
        version = ConfigVersion.objects.create(
            org=org, number=1, dialect=dialect, text=text, author="owner"
        )
        ActiveConfig.objects.filter(org=org).update(number=1)
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
