"""Fixtures: two furnished organizations and all callers, created once and unchanged by tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from console.orgs.models import Organization
from tests.permissions.callers import ANONYMOUS, Caller, mark_seen, sessions, tokens
from tests.permissions.example_orgs import furnish, missing_names


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The names of objects in both organizations, and the callers."""

    here: dict[str, object]
    elsewhere: dict[str, object]
    #: Names of objects that do not exist.
    nowhere: dict[str, object]
    sessions: list[Caller]
    tokens: list[Caller]

    @property
    def everybody(self) -> list[Caller]:
        """Return all callers, including the anonymous one."""
        return [*self.sessions, *self.tokens, ANONYMOUS]

    @property
    def visitors(self) -> list[Caller]:
        """Return the callers of pages: all browsers, an owner's token, and the anonymous caller."""
        return [*self.sessions, self.caller("token of owner here"), ANONYMOUS]

    def caller(self, name: str) -> Caller:
        """Return the caller named *name*."""
        return next(each for each in self.everybody if each.name == name)

    def names(self, caller: Caller) -> dict[str, object]:
        """Return names of objects for requests of *caller*; `me` is the caller's membership."""
        return {**self.here, "me": caller.me or self.here["member"]}


@pytest.fixture(scope="package")
def _stage(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Stage]:
    with django_db_blocker.unblock(), transaction.atomic():
        here, elsewhere = furnish("orchard", 3), furnish("outland", 5)
        orgs = [Organization.objects.get(slug=each["org"]) for each in (here, elsewhere)]
        stage = Stage(
            here=here,
            elsewhere=elsewhere,
            nowhere=missing_names(here),
            sessions=sessions(*orgs),
            tokens=tokens(*orgs),
        )
        mark_seen(timezone.now())
        yield stage
        transaction.set_rollback(True)


@pytest.fixture
def stage(_stage: Stage, db: None) -> Stage:
    """Return the stage; the changes of a test are rolled back."""
    cache.clear()
    return _stage
