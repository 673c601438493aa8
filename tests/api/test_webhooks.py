"""Webhooks over HTTP: create with a secret, change, test, and read the delivery log."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from ipaddress import ip_network
from typing import Any

import pytest

from console.orgs.permissions import Actor
from console.webhooks.services.deliver_due import deliver_due
from tests.api.conftest import Api
from tests.receiver import Receiver, answer, receiving


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOK_ALLOWED_NETWORKS = [ip_network("127.0.0.0/8")]
    with receiving() as receiver:
        yield receiver


def patch(client: Api, path: str, body: Any) -> Any:
    return client.call("patch", path, json.dumps(body), content_type="application/json")


def test_a_life_of_a_webhook(api: Callable[[Actor], Api], owner: Actor, receiver: Receiver) -> None:
    client = api(owner)
    given = {"name": "hook", "url": receiver.url, "kinds": ["workload.rejected"]}
    made = client.post("webhooks", given)
    assert (made.status, made.body["secret"][:6]) == (201, "whsec_")
    number = made.body["id"]
    here = f"webhooks/{number}"
    shown = client.get(here).body
    assert shown == {name: value for name, value in made.body.items() if name != "secret"}
    assert client.get("webhooks").body == {"results": [shown], "next": None}
    assert client.post("webhooks", given).problem == (409, "webhook_exists")

    changed = patch(client, here, {"queues": ["research"], "kinds": ["config.applied"]})
    assert changed.body == shown | {"queues": ["research"], "kinds": ["config.applied"]}
    wrong = patch(client, here, {"url": "http://10.0.0.1/", "kinds": [], "paused": "yes"})
    assert [each["path"] for each in wrong.body["errors"]] == ["kinds", "paused"]
    inside = patch(client, here, {"url": "http://10.0.0.1/"})
    assert inside.body["errors"][0]["code"] == "address_not_allowed"

    fresh = client.post(f"{here}/rotate").body
    assert fresh["secret"] != made.body["secret"]
    assert fresh["old_secret_until"] is not None

    receiver.answering = lambda handler: answer(handler, 503, b"busy")
    sent = client.post(f"{here}/test")
    assert (sent.status, sent.body["state"], sent.body["attempts"]) == (202, "waiting", 0)
    deliver_due(int(number))
    log = client.get(f"{here}/deliveries", state="waiting", kind="test").body
    assert [each["id"] for each in log["results"]] == [sent.body["id"]]
    one = client.get(f"{here}/deliveries/{sent.body['id']}").body
    (tried,) = one["tries"]
    assert (tried["status"], tried["failure"], tried["response"]) == (503, "refused", "busy")
    assert json.loads(one["body"])["type"] == "test"

    receiver.answering = lambda handler: answer(handler, 200, b"ok")
    again = client.post(f"{here}/deliveries/{sent.body['id']}/replay")
    assert (again.status, again.body["id"]) == (202, sent.body["id"])
    deliver_due(int(number))
    assert client.get(f"{here}/deliveries/{sent.body['id']}").body["state"] == "delivered"
    assert len({each.headers["webhook-id"] for each in receiver.got}) == 1

    patch(client, here, {"paused": True})
    assert client.post(f"{here}/test").problem == (409, "webhook_paused")
    gone = client.call("delete", here)
    assert (gone.status, gone.body["paused"]) == (200, "by_hand")
    assert client.get(here).problem == (404, "not_found")


@pytest.mark.parametrize("path", ["webhooks/99999999999999999999", "webhooks/5/deliveries/x"])
def test_unknown_webhooks_answer_404(api: Callable[[Actor], Api], owner: Actor, path: str) -> None:
    assert api(owner).get(path).problem == (404, "not_found")


def test_the_log_takes_known_filters_only(
    api: Callable[[Actor], Api], owner: Actor, receiver: Receiver
) -> None:
    client = api(owner)
    given = {"name": "hook", "url": receiver.url, "kinds": ["workload.rejected"]}
    number = client.post("webhooks", given).body["id"]
    for query in ({"state": "lost"}, {"kind": "x"}, {"limit": "0"}, {"colour": "red"}):
        assert client.get(f"webhooks/{number}/deliveries", **query).status == 400
