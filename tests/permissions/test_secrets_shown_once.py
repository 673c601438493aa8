"""Secrets are shown once, to their creator: no address shows them again, not even to owners."""

from __future__ import annotations

import re

import pytest

from tests.permissions.conftest import Stage
from tests.permissions.sending import ask, ask_refused
from tests.permissions.table import API, PAGES, Line

#: Address that creates a secret, its body, and the pattern of the secret.
MAKERS = [
    ("webhooks", {"name": "new", "url": "https://8.8.8.8/", "kinds": ["workload.rejected"]}),
    ("webhooks/{webhook}/rotate", {}),
    ("tokens", {"name": "new", "role": "viewer"}),
    ("tokens/{token}/rotate", {}),
    ("invitations", {"email": "new@here.example", "role": "viewer"}),
]
_SECRET = re.compile(r"aslu_[\w-]{30,}|whsec_[\w+/=-]{20,}|(?<=/join/)[\w-]{30,}")

LOOKS = [line for line in (*PAGES, *API) if line.is_safe and line.is_of_org]


def test_no_address_shows_a_secret_again(stage: Stage) -> None:
    owner = stage.caller("owner here")
    client = owner.client()
    secrets = []
    for path, body in MAKERS:
        address = f"/api/v1/orgs/orchard/{path.format(**stage.here)}"
        answer = client.post(address, body, "application/json")
        assert answer.headers["Cache-Control"] == "private, no-store"
        secrets += _SECRET.findall(answer.content.decode())
    assert len(secrets) == len(MAKERS)
    for line in LOOKS:
        told = ask(owner, line, stage.names(owner)).body.decode()
        assert [each for each in secrets if each in told] == [], line.id


@pytest.mark.parametrize("line", [each for each in PAGES if each.is_of_org], ids=lambda it: it.id)
def test_an_additional_slash_is_not_found(line: Line, stage: Stage) -> None:
    path = line.path.partition("?")[0].rstrip("/") + "/" * (2 if line.path == "/o/$org/" else 1)
    more = Line(takes=line.takes, method="GET", path=path, status=404, body="")
    stranger, nobody = stage.caller("owner elsewhere"), stage.caller("nobody")
    assert ask_refused(stranger, more, stage.names(stranger)).status == 404
    assert ask_refused(nobody, more, stage.names(nobody)).status in (302, 404)
