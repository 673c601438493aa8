"""Sign-in while the broker is down: it works, and password guessing is still slowed down."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.cache import cache, caches
from django.test import Client

from console.orgs.permissions import Actor
from console.pages.throttle import FREE_TRIES
from tests.conftest import PASSWORD


@pytest.fixture(autouse=True)
def away(settings, tmp_path: Path) -> None:
    """The cache of the product with an unreachable broker."""
    settings.CACHES = {
        "default": {
            "BACKEND": "console.broker_cache.BrokerCache",
            "LOCATION": f"unix://{tmp_path}/nothing",
            "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1},
        }
    }
    caches["default"].own.clear()


def sign_in(owner: Actor, password: str) -> int:
    form = {"email": owner.name, "password": password, "next": ""}
    return Client().post("/login", form).status_code


def test_sign_in_works_without_the_broker(owner: Actor) -> None:
    assert sign_in(owner, PASSWORD) == 302


def test_password_guessing_is_limited_without_the_broker(owner: Actor) -> None:
    answers = [sign_in(owner, "wrong") for _ in range(FREE_TRIES + 1)]
    assert answers == [422] * FREE_TRIES + [429]
    assert sign_in(owner, PASSWORD) == 429


def test_cache_operations_work_without_the_broker(db: None) -> None:
    assert cache.add("a", 1, 60)
    assert not cache.add("a", 2, 60)
    assert cache.incr("a") == 2
    cache.set("b", "x", 60)
    assert (cache.get("a"), cache.get("b"), cache.get("c", 5)) == (2, "x", 5)
    assert cache.touch("b", 60)
    assert not cache.touch("c", 60)
