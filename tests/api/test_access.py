"""Who may do what: every address, asked without credentials, from elsewhere, and in each role."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, reverse

from console.api import urls
from console.orgs.models import Organization, Role
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.orgs.services.issue_token import issue_token
from console.workloads.models import Intake
from tests.api.conftest import Api, furnish
from tests.api.documents import OPEN
from tests.conftest import member, with_token

READERS = frozenset(Role.values)
SUBMITTERS = frozenset({Role.SUBMITTER, Role.OPERATOR, Role.OWNER})
OPERATORS = frozenset({Role.OPERATOR, Role.OWNER})
OWNERS = frozenset({Role.OWNER})
DRAFTERS = frozenset({Role.EDITOR, Role.OWNER})


@dataclass(frozen=True)
class Case:
    """One address with one method: who may, and what they get."""

    name: str
    method: str
    roles: frozenset[str]
    status: int
    body: Any = None
    arguments: tuple[tuple[str, Any], ...] = ()

    @property
    def id(self) -> str:
        """Name the case in the report."""
        return f"{self.method} {self.name}"


VERSION = (("number", 1),)
QUEUE = (("queue", "default"),)
WEBHOOK = (("number", 4000),)
DELIVERY = (*WEBHOOK, ("delivery", "told"))
HOOK = {"name": "new", "url": "https://8.8.8.8/hook", "kinds": ["workload.rejected"]}
WORKLOAD = (("uid", "w"),)
#: A member, an invitation and a token all have it.
PERSON = (("number", 4000),)
EXPECTED = {"name": "any", "queue": "default"}
CASES = [
    Case("org", "get", READERS, 200),
    Case("overview", "get", READERS, 200),
    Case("workloads", "get", READERS, 200),
    Case("workloads", "post", SUBMITTERS, 202, {"workloads": [{"name": "one"}]}),
    Case("finish-workloads", "post", SUBMITTERS, 404, {"ids": ["unknown"]}),
    Case("workload", "get", READERS, 200, arguments=WORKLOAD),
    Case("explanation", "get", READERS, 200, arguments=WORKLOAD),
    Case("finish-workload", "post", OPERATORS, 202, {}, WORKLOAD),
    Case("withdraw-workload", "post", OPERATORS, 202, {}, WORKLOAD),
    Case("release-workload", "post", OPERATORS, 409, {}, WORKLOAD),
    Case("preemptions", "get", READERS, 200, arguments=WORKLOAD),
    Case("preemption", "get", READERS, 404, arguments=(*WORKLOAD, ("number", 1))),
    Case("views", "get", READERS, 200),
    Case("views", "post", READERS, 200, {"name": "mine"}),
    Case("view", "delete", READERS, 404, arguments=(("number", 1),)),
    Case("config", "get", READERS, 200),
    Case("config-check", "post", READERS, 200, {"text": OPEN}),
    Case("config-schema", "get", READERS, 200),
    Case("config-rollback", "post", OWNERS, 409, {"version": 1, "expected_version": 1}),
    Case("config-confirm", "get", READERS, 404),
    Case("config-confirm", "post", OWNERS, 409, {"version": 1}),
    Case("config-impact", "post", DRAFTERS, 200, {"text": OPEN + "#\n"}),
    Case("impact", "get", READERS, 200, arguments=(("run", 1),)),
    Case("cancel-impact", "post", DRAFTERS, 200, {}, (("run", 1),)),
    Case("versions", "get", READERS, 200),
    Case("versions", "post", OWNERS, 201, {"text": OPEN + "#\n", "expected_version": 1}),
    Case("version", "get", READERS, 200, arguments=VERSION),
    Case("version-diff", "get", READERS, 200, arguments=VERSION),
    Case("config-route", "post", READERS, 200, {"labels": {"team": "ml"}}),
    Case("expectations", "get", READERS, 200),
    Case("expectations", "post", DRAFTERS, 200, {"expectations": [EXPECTED]}),
    Case("check-expectations", "post", READERS, 200, {}),
    Case("delete-expectations", "post", DRAFTERS, 200, {"names": ["any"]}),
    Case("queues", "get", READERS, 200),
    Case("queue", "get", READERS, 200, arguments=QUEUE),
    Case("queue-pending", "get", READERS, 200, arguments=QUEUE),
    Case("hold-queue", "post", OPERATORS, 200, {"reason": "rack down"}, QUEUE),
    Case("resume-queue", "post", OPERATORS, 200, {}, QUEUE),
    Case("cohorts", "get", READERS, 200),
    Case("cohort", "get", READERS, 404, arguments=(("cohort", "unknown"),)),
    Case("usage", "get", READERS, 200),
    Case("waits", "get", READERS, 200),
    Case("decisions", "get", READERS, 200),
    Case("events", "get", READERS, 200),
    Case("audit", "get", READERS, 200),
    Case("members", "get", READERS, 200),
    Case("member", "get", READERS, 200, arguments=PERSON),
    Case("member", "patch", OWNERS, 200, {"role": "editor"}, PERSON),
    Case("member", "delete", OWNERS, 200, arguments=PERSON),
    Case("invitations", "get", OWNERS, 200),
    Case("invitations", "post", OWNERS, 201, {"email": "x@here.example", "role": "viewer"}),
    Case("invitation", "delete", OWNERS, 200, arguments=PERSON),
    Case("tokens", "get", OWNERS, 200),
    Case("tokens", "post", OWNERS, 201, {"name": "one", "role": "viewer"}),
    Case("token", "get", OWNERS, 200, arguments=PERSON),
    Case("token", "delete", OWNERS, 200, arguments=PERSON),
    Case("rotate-token", "post", OWNERS, 201, {}, PERSON),
    Case("webhooks", "get", OWNERS, 200),
    Case("webhooks", "post", OWNERS, 201, HOOK),
    Case("webhook", "get", OWNERS, 200, arguments=WEBHOOK),
    Case("webhook", "patch", OWNERS, 200, {"paused": True}, WEBHOOK),
    Case("webhook", "delete", OWNERS, 200, {}, WEBHOOK),
    Case("rotate-webhook", "post", OWNERS, 200, {}, WEBHOOK),
    Case("test-webhook", "post", OWNERS, 202, {}, WEBHOOK),
    Case("deliveries", "get", OWNERS, 200, arguments=WEBHOOK),
    Case("delivery", "get", OWNERS, 200, arguments=DELIVERY),
    Case("replay-delivery", "post", OWNERS, 202, {}, DELIVERY),
]
BY_ID = [pytest.param(case, id=case.id) for case in CASES]


@pytest.fixture(scope="module")
def org(standing: None) -> Organization:
    """An organization that all tests here find as it was made."""
    return create_org("here", "Here", owner=None)


@pytest.fixture(scope="module")
def owner(org: Organization) -> Actor:
    """Its owner."""
    return member(org, Role.OWNER)


@pytest.fixture(scope="module")
def furnished(org: Organization, owner: Actor) -> None:
    """Give it one of everything that an address may name."""
    furnish(Api(with_token(owner), org.slug), owner)


@pytest.fixture
def ask(furnished: None, db: None) -> Callable[[Client, Case], tuple[int, Any]]:
    """Return a function that asks an organization that has one of everything."""

    def send(client: Client, case: Case) -> tuple[int, Any]:
        address = reverse(f"api:{case.name}", kwargs={"org": "here", **dict(case.arguments)})
        body = () if case.body is None else (json.dumps(case.body), "application/json")
        response = getattr(client, case.method)(address, *body)
        return response.status_code, json.loads(response.content)

    return send


def test_every_address_is_in_the_table():
    outside = {"orgs", "schema", "docs", "no-such-address"}
    names = {pattern.name for pattern in urls.urlpatterns if isinstance(pattern, URLPattern)}
    assert {case.name for case in CASES} == names - outside


@pytest.mark.parametrize("case", BY_ID)
def test_nobody_is_asked_who_they_are(ask, case: Case):
    status, problem = ask(Client(), case)
    assert (status, problem["code"]) == (401, "not_authenticated")


@pytest.mark.parametrize("case", BY_ID)
def test_a_token_of_elsewhere_finds_nothing(ask, other_org, case: Case):
    secret = issue_token(other_org, Role.OWNER, "elsewhere")
    status, problem = ask(Client(headers={"authorization": f"Bearer {secret}"}), case)
    assert (status, problem["code"]) == (404, "not_found")


@pytest.mark.parametrize("case", BY_ID)
def test_a_person_of_elsewhere_finds_nothing(ask, outsider, case: Case):
    client = Client()
    client.force_login(outsider)
    status, problem = ask(client, case)
    assert (status, problem["code"]) == (404, "not_found")


@pytest.mark.parametrize("role", Role.values)
@pytest.mark.parametrize("case", BY_ID)
def test_each_role_may_do_its_part(ask, org, case: Case, role: str):
    secret = issue_token(org, role, role)
    before = Intake.objects.count()
    status, body = ask(Client(headers={"authorization": f"Bearer {secret}"}), case)
    if role in case.roles:
        assert status == case.status, body
    else:
        assert (status, body["code"]) == (403, "not_allowed")
        assert Intake.objects.count() == before


@pytest.mark.parametrize("case", BY_ID)
def test_other_methods_are_refused(ask, org, case: Case):
    client = Client(headers={"authorization": f"Bearer {issue_token(org, Role.OWNER, 'all')}"})
    known = {each.method for each in CASES if each.name == case.name}
    for method in {"put", "patch", "delete"} - known:
        status, problem = ask(client, Case(case.name, method, OWNERS, 405, {}, case.arguments))
        assert (status, problem["code"]) == (405, "method_not_allowed")


def test_a_session_needs_the_csrf_token(ask, owner):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner.user)
    submit = next(case for case in CASES if case.id == "post workloads")
    status, problem = ask(client, submit)
    assert (status, problem["code"]) == (403, "csrf_failed")
    assert ask(client, CASES[0])[0] == 200


def test_a_session_submits_in_its_role(ask, client_for, owner, viewer):
    submit = next(case for case in CASES if case.id == "post workloads")
    assert ask(client_for(owner), submit)[0] == 202
    assert ask(client_for(viewer), submit)[0] == 403


@pytest.mark.parametrize(
    "header", ["Bearer aslu_wrong", "Bearer ", "Basic YTpi", "aslu_x", "Bearer\t"]
)
def test_a_wrong_token_is_refused(org, header: str):
    response = Client(headers={"authorization": header}).get("/api/v1/orgs/here")
    assert response.status_code == 401
    assert response.json()["code"] == "invalid_token"
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="api"'


def test_one_submits_and_ends_their_own_work(api, submitter, operator, settle):
    own, other = api(submitter), api(operator)
    (uid,) = own.post("workloads", {"workloads": [{"name": "mine"}]}).body["ids"]
    settle(submitter.org)
    foreign = api(submitter)
    assert foreign.post(f"workloads/{uid}/finish").problem == (403, "not_allowed")
    assert own.post(f"workloads/{uid}/finish").status == 202
    assert other.post(f"workloads/{uid}/finish").status == 202


def test_orgs_are_those_one_belongs_to(furnished, api, client_for, owner, other_org):
    one = {"slug": "here", "name": "Here"}
    assert api(owner).get("/api/v1/orgs").body == {"results": [one], "next": None}
    assert client_for(owner).get("/api/v1/orgs").json() == {"results": [one], "next": None}
    assert Client().get("/api/v1/orgs").status_code == 401
    assert api(owner).get().body == {
        **one,
        "role": "owner",
        "config_version": 1,
        "counts": {
            **dict.fromkeys(("pending", "preempting", "finished", "rejected", "withdrawn"), 0),
            "admitted": 1,
        },
    }


def test_other_addresses_are_problems_too(api, owner):
    for path in ("/api/v1/", "/api/v1/nothing", "/api/v1/orgs/", "/api/v1/orgs/here/nothing"):
        assert api(owner).get(path).problem == (404, "not_found")
