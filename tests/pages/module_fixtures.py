"""The small world of `tests.pages.conftest` and its members, created once per module of tests."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from console.orgs.models import Role
from console.orgs.permissions import Actor
from tests.conftest import member, signed_in
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


def module_people() -> Any:
    """Return the fixture `people` with module scope: a signed-in browser for each role."""

    @pytest.fixture(scope="module")
    def people(owner: Actor) -> dict[str, Client]:
        others = (Role.EDITOR, Role.OPERATOR, Role.SUBMITTER, Role.VIEWER)
        cast = (owner, *(member(owner.org, role) for role in others))
        return {actor.role: signed_in(actor) for actor in cast}

    return people
