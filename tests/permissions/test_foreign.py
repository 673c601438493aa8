"""Foreign organizations: their objects are answered like objects that do not exist."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.permissions.conftest import Stage
from tests.permissions.sending import ask_refused, no_rows_written
from tests.permissions.table import API, CLIENT, NAMES, PAGES, Line

LIMIT_PER_ORG = [line for line in (*PAGES, *API) if line.is_of_org]
ROLLBACK = '{"version": $version, "expected_version": 3}'
#: PUT makes the object that it names, in the own organization.
WITH_THINGS = [line for line in (*PAGES, *API, *CLIENT) if line.things and line.method != "PUT"]


@pytest.mark.parametrize("line", LIMIT_PER_ORG, ids=lambda line: line.id)
def test_a_foreign_organization_is_like_one_that_does_not_exist(line: Line, stage: Stage) -> None:
    names = ["owner elsewhere", *(["token of owner elsewhere"] if line in API else [])]
    for caller in map(stage.caller, names):
        told, asked = [], []
        for slug in (stage.here["org"], "nowhere-at-all"):
            # Correct names of objects in the organization make no difference.
            things = {**stage.names(caller), "org": slug}
            with no_rows_written(), CaptureQueriesContext(connection) as queries:
                answer = ask_refused(caller, line, things)
            told.append(answer.told("nowhere-at-all", stage.here["org"]))
            asked.append(len(queries))
        assert told[0][0] == 404
        assert told[0] == told[1]
        # The number of queries is the same, so the response time reveals nothing either.
        assert asked[0] == asked[1]


@pytest.mark.parametrize("line", WITH_THINGS, ids=lambda line: line.id)
def test_a_foreign_thing_is_like_one_that_does_not_exist(line: Line, stage: Stage) -> None:
    # Other roles of the organization are refused as in test_matrix, whatever the object.
    names = [] if line in CLIENT else ["owner here"]
    names += [] if line in PAGES else ["token of owner here"]
    for caller in map(stage.caller, names):
        for thing in line.things:
            told = []
            for foreign in (stage.elsewhere[thing], stage.nowhere[thing]):
                with no_rows_written():
                    answer = ask_refused(caller, line, {**stage.names(caller), thing: foreign})
                told.append(answer.told(stage.nowhere[thing], stage.elsewhere[thing]))
            assert told[0][0] == 404
            assert told[0] == told[1]


def test_the_public_client_s_token_sees_its_own_organization_alone(stage: Stage) -> None:
    stranger = stage.caller("token of owner elsewhere")
    ours = str(stage.here["queue"]).encode()
    for line in (each for each in CLIENT if each.is_safe):
        with no_rows_written():
            answer = ask_refused(stranger, line, stage.names(stranger))
            own = ask_refused(stranger, line, stage.elsewhere)
        # The answer repeats the requested name of a queue.
        assert b"orchard" not in answer.body.replace(ours, b"")
        assert answer.status == 404 if "$queue" in line.path else own.status
        assert own.status == line.status


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/api/v1/orgs/$org/workloads/finish", '{"ids": ["$running"]}', 404),
        ("POST", "/api/v1/orgs/$org/workloads/withdraw", '{"ids": ["$waiting"]}', 404),
        ("POST", "/api/v1/orgs/$org/workloads/release", '{"ids": ["$stopped"]}', 404),
        ("GET", "/api/v1/orgs/$org/config/versions/1/diff?to=$version", "", 404),
        ("POST", "/api/v1/orgs/$org/config/rollback", ROLLBACK, 404),
        ("POST", "/api/v1/orgs/$org/config/confirm", '{"version": $version}', 409),
        ("GET", "/api/v1/orgs/$org/usage?queue=$queue", "", 404),
        ("GET", "/api/v1/orgs/$org/waits?queue=$queue", "", 404),
        ("GET", "/o/$org/workloads/$mine/compare?with=$running", "", 404),
        ("GET", "/o/$org/workloads/new?repeat=$running", "", 404),
        ("POST", "/o/$org/workloads/views", "delete=$view", 404),
        ("POST", "/o/$org/config/edit", "do=from&version=$version", 404),
        ("GET", "/o/$org/config/review?draft=$draft", "", 404),
        ("GET", "/o/$org/config/review?to=$version", "", 404),
        ("POST", "/o/$org/config/review", "to=$version&expected_version=3", 404),
        ("POST", "/o/$org/config/review/fix", "draft=$draft&revision=1&fix=none", 404),
        ("GET", "/o/$org/config/review?request=$review", "", 404),
        ("POST", "/o/$org/config/review", "request=$review&expected_version=3", 404),
        ("POST", "/o/$org/config/reviews", "draft=$draft&revision=1", 404),
        ("POST", "/o/$org/config/conflict", "draft=$draft&do=mine", 404),
        ("POST", "/o/$org/config/confirm", "version=$version&do=revert", 409),
        ("GET", "/o/$org/config/impact?draft=$draft", "", 404),
        ("POST", "/o/$org/config/impact/again?to=$version", "", 404),
        ("GET", "/o/$org/config/compare?draft=$draft", "", 404),
        ("GET", "/o/$org/tools/route?workload=$running", "", 400),
        ("GET", "/o/$org/tools/route?config=draft-$draft&key=a&value=b", "", 400),
        ("GET", "/o/$org/tools/expectations?config=$version", "", 400),
        ("GET", "/api/v1/orgs/$org/workloads?queue=$queue", "", 200),
        ("GET", "/api/v1/orgs/$org/events?workload=$running", "", 200),
    ],
)  # fmt: skip
def test_names_in_queries_and_bodies_are_looked_up_in_the_own_organization(
    method: str, path: str, body: str, status: int, stage: Stage
) -> None:
    line = Line(takes="READ", method=method, path=path, status=status, body=body)
    (name,) = {*NAMES.findall(path + body)} - {"org", "mine"}
    owner, told = stage.caller("owner here"), []
    for foreign in (stage.elsewhere[name], stage.nowhere[name]):
        things = {**stage.names(owner), "mine": stage.here["running"], name: foreign}
        with no_rows_written():
            answer = ask_refused(owner, line, things)
        told.append(answer.told(stage.nowhere[name], stage.elsewhere[name]))
    assert told[0][0] == status
    assert told[0] == told[1]
