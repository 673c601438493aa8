"""Outdated servers: an old database is refused at the start, an old broker is reported."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Self

import pytest
from django.core.management import CommandError, call_command
from django.db import NotSupportedError, connection
from django.db.backends.base import base
from django.db.backends.postgresql.features import DatabaseFeatures
from django.test import Client
from redis import RedisError, ResponseError

from console import broker
from console.migrating.server_version import OLDEST_POSTGRESQL, ServerTooOld, refuse_old_server
from console.orgs.management.commands import migrate
from console.supervisor import up
from console.supervisor.failure import StartFailed

REFUSED = (
    "The database is PostgreSQL 13.4, and Sluice needs PostgreSQL 14 or newer; upgrade it, or set "
    "DATABASE_URL to another server."
)


class Server:
    """A PostgreSQL server of some version, in the place of Django's connection."""

    vendor = "postgresql"

    def __init__(self, *version: int) -> None:
        self.version = version

    def ensure_connection(self) -> None:
        """Raise the version error of Django."""
        if self.version < (OLDEST_POSTGRESQL,):
            raise NotSupportedError("PostgreSQL 14 or later is required.")

    def get_database_version(self) -> tuple[int, ...]:
        """Return the major and minor version."""
        return self.version


def test_minimum_version_is_that_of_django() -> None:
    assert DatabaseFeatures.minimum_database_version == (OLDEST_POSTGRESQL,)


def test_a_database_that_is_new_enough_is_not_refused() -> None:
    refuse_old_server(Server(14, 0))
    refuse_old_server(SimpleNamespace(vendor="sqlite"))


def test_every_command_refuses_an_older_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "connections", {"default": Server(13, 4)})
    with pytest.raises(CommandError) as told:
        call_command("migrate")
    assert str(told.value) == REFUSED
    with pytest.raises(StartFailed) as failed:
        up._prepare_database()
    assert str(failed.value) == REFUSED


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "postgresql", reason="There is no server.")
def test_version_error_of_django_is_reworded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(base, "RAN_DB_VERSION_CHECK", set())
    another = connection.copy()
    another.pg_version = 130004
    try:
        with pytest.raises(ServerTooOld) as told:
            refuse_old_server(another)
    finally:
        another.close()
    assert str(told.value) == REFUSED


class Lengths:
    """A Redis pipeline in which all queues are empty."""

    def __init__(self) -> None:
        self.asked = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        pass

    def llen(self, queue: str) -> None:
        """Request the length of a queue."""
        self.asked += 1

    def execute(self) -> list[int]:
        """Return the lengths."""
        return [0] * self.asked


class Broker:
    """A broker whose INFO returns *facts*, or fails."""

    def __init__(self, facts: dict[str, object] | RedisError) -> None:
        self.facts = facts

    def ping(self) -> bool:
        """Return success."""
        return True

    def exists(self, key: str) -> int:
        """Report a heartbeat."""
        return 1

    def pipeline(self, *, transaction: bool) -> Lengths:
        """Return a pipeline for the lengths of queues."""
        return Lengths()

    def info(self, section: str) -> dict[str, object]:
        """Return the facts."""
        assert section == "server"
        if isinstance(self.facts, RedisError):
            raise self.facts
        return self.facts


@pytest.mark.parametrize(
    ("facts", "named"),
    [
        ({"redis_version": "7.0.15"}, "Redis 7.0.15"),
        ({"redis_version": "6.2.14"}, "Redis 6.2.14"),
        ({"redis_version": "7.2.4", "valkey_version": "7.2.5"}, "Valkey 7.2.5"),
        ({"redis_version": "7.2.0"}, None),
        ({"redis_version": "10.0.1"}, None),
        ({"redis_version": "7.2.4", "valkey_version": "8.0.0"}, None),
        ({"redis_version": "unknown"}, None),
        ({}, None),
        (ResponseError("no permissions to run the 'info' command"), None),
    ],
)
@pytest.mark.django_db
def test_old_broker_is_reported_and_used(
    facts: dict[str, object] | RedisError,
    named: str | None,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(broker, "client", lambda: Broker(facts))
    sentence = f"The broker is {named}, and Sluice is made for Redis 7.2 or Valkey 8.0 or newer; "
    notes = [sentence + "upgrade it."] if named else []
    response = client.get("/readyz")
    assert (response.status_code, response.json().get("notes", [])) == (200, notes)
    monkeypatch.setattr(up, "_wait", lambda *_: True)
    up._wait_for_broker(up.Children("", None, named=False))
    assert capsys.readouterr().out == "".join(f"{each}\n" for each in notes)
