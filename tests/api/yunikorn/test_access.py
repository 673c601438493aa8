"""Tokens, organizations, config languages, and the form of errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from console.orgs.models import Organization, Role
from console.orgs.services.issue_token import issue_token
from tests.api.yunikorn.conftest import BASE, Rest, answer_of

UNSERVED = (
    "Sluice serves the parts of YuniKorn's API that read partitions, queues, applications, "
    "nodes, usage, history, events and the config, and validate-conf."
)


@pytest.mark.parametrize("header", [{}, {"authorization": "Bearer aslu_unknown"}])
def test_a_request_needs_a_token(org: Organization, header: dict[str, str]) -> None:
    response = Client(headers=header).get(f"{BASE}/partitions")
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="api"'
    status, message, description = answer_of(response).error
    assert (status, message) == (401, description)


def test_a_token_sees_its_organization_alone(scheduler: Rest, other_org: Organization) -> None:
    foreign = Rest(issue_token(other_org, Role.OWNER, "owner"))
    sentence = "No config was ever applied to elsewhere."
    assert foreign.get("partitions").error == (404, sentence, sentence)
    assert [each["clusterId"] for each in scheduler.read("partitions")] == ["here", "here"]


def test_a_config_of_another_language_is_named(rest: Rest, activate: Callable[..., Any]) -> None:
    activate("resource_queues: []\n", "native")
    sentence = (
        "The active config of here is not a config of YuniKorn: its language is native. The API "
        "under /api/v1 reads queues of all languages."
    )
    for path in ("clusters", "partitions", "config", "partition/default/queues"):
        assert rest.get(path).error == (404, sentence, sentence)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "nothing",
        "events/stream",
        "partition/default",
        "partition/default/queues/x",
        "debug/stack",
    ],
)
def test_other_addresses_name_what_is_served(rest: Rest, path: str) -> None:
    assert rest.get(path).error == (404, UNSERVED, UNSERVED)


@pytest.mark.parametrize(
    ("path", "status", "message", "description"),
    [
        (
            "partition/other/queues",
            404,
            "Partition not found",
            "There is no partition 'other'; the config has: default, gpu.",
        ),
        (
            "partition/default/queue/root.none",
            404,
            "Queue not found",
            "There is no queue 'root.none' in the partition default.",
        ),
        (
            "partition/default/queue/root.a%20b",
            400,
            (
                "problem in queue query parameter parsing as queue param root.a b contains invalid "
                "queue name a b. Queue name must only have alphanumeric characters, - or _, and be "
                "no longer than 64 characters"
            ),
            (
                '"a b" is not a name of a queue: names have up to 64 letters, digits and '
                "_ : # / @ -, with dots between the names of a path."
            ),
        ),
        (
            "partition/default/node/n1",
            404,
            "Node not found",
            "There is no node 'n1' in the partition default.",
        ),
        (
            "partition/default/nodes?limit=0",
            400,
            "limit has to be an integer from 1 to 5000.",
            "limit has to be an integer from 1 to 5000.",
        ),
        (
            "partition/default/queue/root?subtre",
            400,
            "subtre is not a parameter of this endpoint; did you mean subtree?",
            "subtre is not a parameter of this endpoint; did you mean subtree?",
        ),
    ],
)
def test_errors_have_the_text_of_yunikorn_and_a_sentence(
    scheduler: Rest, path: str, status: int, message: str, description: str
) -> None:
    assert scheduler.get(path).error == (status, message, description)


def test_methods_that_change_something_are_refused(scheduler: Rest) -> None:
    for method in ("post", "put", "patch", "delete"):
        response = getattr(scheduler.client, method)(f"{BASE}/config")
        assert answer_of(response).error[0] == 405
