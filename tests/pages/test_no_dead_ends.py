"""Every link of every page opens for every role: no page links to what the role may not see."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from urllib.parse import urljoin, urlsplit

import pytest
from django.test import Client

from console.orgs.models import Membership, Role
from console.orgs.permissions import Actor
from console.orgs.services.create_user import create_user
from tests.module_fixtures import module_org
from tests.pages.conftest import World
from tests.pages.module_fixtures import module_world
from tests.pages.page import pattern_of, read_page

org, owner = module_org()
made, world = module_world()

#: Pages that are opened per address pattern: more pages of a pattern have the same links.
_ALIKE = 1


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR, Role.EDITOR, Role.OWNER])
def test_every_link_opens(world: World, client_for: Callable[[Actor], Client], role: str) -> None:
    user = create_user(f"walker@{world.org.slug}.example", "correct horse battery")
    Membership.objects.create(org=world.org, user=user, role=role)
    browser = client_for(Actor.from_user(world.org, user, role))
    ways = deque([(f"/o/{world.org.slug}/", "the start")])
    opened: dict[str, int] = {}
    refused = []
    while ways:
        url, origin = ways.popleft()
        pattern = pattern_of(url)
        if opened.get(pattern, 0) >= _ALIKE:
            continue
        opened[pattern] = opened.get(pattern, 0) + 1
        answer = browser.get(url, follow=True)
        if answer.status_code >= 400:
            refused.append(f"{url} from {origin}: {answer.status_code}")
        if not answer.headers["Content-Type"].startswith("text/html"):
            # An export that is not read to its end stays open and keeps others waiting.
            b"".join(answer)
            continue
        for link in read_page(answer).all("a"):
            target = urlsplit(urljoin(url, link.attrs["href"]))
            if not target.netloc and target.path.startswith(("/o/", "/account")):
                ways.append((target._replace(fragment="").geturl(), url))
            assert "v=" not in target.query.split("&"), (url, link.attrs["href"])
    assert refused == []
    assert len(opened) > 50
