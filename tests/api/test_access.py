"""Authentication and ownership over HTTP; `tests.permissions` tests permissions."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.test import Client


@pytest.mark.parametrize(
    "header", ["Bearer aslu_wrong", "Bearer ", "Basic YTpi", "aslu_x", "Bearer\t"]
)
def test_a_wrong_token_is_refused(org, header: str):
    response = Client(headers={"authorization": header}).get("/api/v1/orgs/here")
    assert response.status_code == 401
    assert response.json()["code"] == "invalid_token"
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="api"'


def test_a_submitter_token_ends_only_its_own_workloads(api, submitter, operator, settle):
    own, other = api(submitter), api(operator)
    (uid,) = own.post("workloads", {"workloads": [{"name": "mine"}]}).body["ids"]
    settle(submitter.org)
    foreign = api(submitter)
    assert foreign.post(f"workloads/{uid}/finish").problem == (403, "not_allowed")
    assert own.post(f"workloads/{uid}/finish").status == 202
    assert other.post(f"workloads/{uid}/finish").status == 202


def test_orgs_lists_the_user_s_organizations(api, client_for, owner, other_org):
    one = {"slug": "here", "name": "Here"}
    assert api(owner).get("/api/v1/orgs").body == {"results": [one], "next": None}
    assert client_for(owner).get("/api/v1/orgs").json() == {"results": [one], "next": None}
    assert api(owner).get().body == {
        **one,
        "role": "owner",
        "config_version": 0,
        "counts": dict.fromkeys(
            ("pending", "admitted", "preempting", "finished", "rejected", "withdrawn"), 0
        ),
        "simulated_until": None,
    }


def test_simulated_history_is_marked_wherever_it_is_read(api, owner, org):
    org.simulated_until = datetime(2026, 3, 14, 12, tzinfo=UTC)
    org.save(update_fields=["simulated_until"])
    for path in ("", "usage", "accounts?by=user"):
        assert api(owner).get(path).body["simulated_until"] == "2026-03-14T12:00:00.000000Z", path


def test_other_addresses_are_problems_too(api, owner):
    for path in ("/api/v1/", "/api/v1/nothing", "/api/v1/orgs/", "/api/v1/orgs/here/nothing"):
        assert api(owner).get(path).problem == (404, "not_found")
