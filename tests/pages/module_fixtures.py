"""The small world, created once for a module of read-only tests."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache

from console.orgs.permissions import Actor
from tests.pages.conftest import World, apply_first, fill


def module_world() -> tuple[Any, Any]:
    """Return two fixtures for a module that has a standing owner: `made`, and `world` for tests."""

    @pytest.fixture(scope="module")
    def made(owner: Actor) -> World:
        apply_first(owner)
        return fill(owner)

    @pytest.fixture
    def world(made: World, db: None) -> World:
        # What is kept of a page may be of rows that another test undid.
        cache.clear()
        return made

    return made, world
