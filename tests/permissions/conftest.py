"""Two furnished organizations and everybody who asks, made once; each test leaves them as is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from console.orgs.models import Organization
from tests.permissions.callers import NOBODY, Caller, sessions, settle_down, tokens
from tests.permissions.example_orgs import furnish, nothing_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What is there: names of things by organization, and who asks."""

    here: dict[str, object]
    elsewhere: dict[str, object]
    #: Names that nothing has.
    nowhere: dict[str, object]
    sessions: list[Caller]
    tokens: list[Caller]

    @property
    def everybody(self) -> list[Caller]:
        """Return all who ask, and nobody."""
        return [*self.sessions, *self.tokens, NOBODY]

    @property
    def visitors(self) -> list[Caller]:
        """Return who asks for pages: all browsers, an owner's token, and nobody."""
        return [*self.sessions, self.caller("token of owner here"), NOBODY]

    def caller(self, name: str) -> Caller:
        """Return the one called *name*."""
        return next(each for each in self.everybody if each.name == name)

    def names(self, caller: Caller) -> dict[str, object]:
        """Return the things here as *caller* asks for them; `me` is who they are themselves."""
        return {**self.here, "me": caller.me or self.here["member"]}


@pytest.fixture(scope="package")
def _stage(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Stage]:
    with django_db_blocker.unblock(), transaction.atomic():
        here, elsewhere = furnish("orchard", 3), furnish("outland", 5)
        orgs = [Organization.objects.get(slug=each["org"]) for each in (here, elsewhere)]
        stage = Stage(
            here=here,
            elsewhere=elsewhere,
            nowhere=nothing_of(here),
            sessions=sessions(*orgs),
            tokens=tokens(*orgs),
        )
        settle_down(timezone.now())
        yield stage
        transaction.set_rollback(True)


@pytest.fixture
def stage(_stage: Stage, db: None) -> Stage:
    """Return the stage; what a test does to it is undone."""
    cache.clear()
    return _stage
