"""Pages are compressed; streams and responses of the API are not."""

from __future__ import annotations

import gzip

import pytest

from console.orgs.models import Organization
from console.orgs.permissions import Actor
from tests.conftest import signed_in, with_token
from tests.module_fixtures import module_org
from tests.pages.conftest import World
from tests.pages.module_fixtures import module_world

org, owner = module_org()
made, world = module_world()


@pytest.mark.parametrize("page", ["config", "queues", "workloads", "tools/route"])
def test_pages_are_compressed_for_browsers_that_accept_it(
    org: Organization, owner: Actor, world: World, page: str
) -> None:
    client = signed_in(owner)
    plain = client.get(f"/o/{org.slug}/{page}")
    packed = client.get(f"/o/{org.slug}/{page}", headers={"accept-encoding": "gzip, br"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Content-Length"] == str(len(packed.content))
    assert "Accept-Encoding" in packed.headers["Vary"]
    text = gzip.decompress(packed.content)
    assert text.startswith(plain.content[:200])
    assert len(packed.content) < len(text) / 3


def test_streams_and_the_api_are_sent_as_they_are(
    org: Organization, owner: Actor, world: World
) -> None:
    client = signed_in(owner)
    for reader, path in (
        (client, f"/o/{org.slug}/workloads?as=csv"),
        (with_token(owner), f"/api/v1/orgs/{org.slug}/workloads"),
    ):
        answer = reader.get(path, headers={"accept-encoding": "gzip"})
        assert (path, answer.status_code) == (path, 200)
        assert "Content-Encoding" not in answer.headers
