"""The small world of `tests.pages.conftest`, created once per module of read-only tests."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache

from console.orgs.permissions import Actor
from tests.pages.conftest import World, apply_first, fill


def module_world() -> tuple[Any, Any]:
    """Return the fixtures `made` (module scope) and `world`; the module needs an owner fixture."""

    @pytest.fixture(scope="module")
    def made(owner: Actor) -> World:
        apply_first(owner)
        return fill(owner)

    @pytest.fixture
    def world(made: World, db: None) -> World:
        # Cached pages may contain rows that another test rolled back.
        cache.clear()
        return made

    return made, world
