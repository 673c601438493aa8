"""Fixtures for all tests: organizations, members and clients; and how tests are distributed."""

from __future__ import annotations

import gc
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.template.base import Template
from django.test import Client, TestCase, override_settings
from hypothesis import HealthCheck, settings
from pytest_django.plugin import DjangoDbBlocker
from xdist.scheduler import LoadFileScheduling

from console import expensive
from console.heartbeat import Pulse
from console.orgs.models import Membership, Organization, Role, User
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.orgs.services.create_user import create_user
from console.orgs.services.issue_token import issue_token
from console.workloads.ledger_cache import forget_ledgers
from tests.prepared import fill_database, sharing

PASSWORD = "correct horse battery"

ROOT = Path(__file__).parent

# Hypothesis draws the same examples in every run unless `WORLDS` asks for others, and does not
# complain about slow examples on a busy machine.
settings.register_profile(
    "steady",
    deadline=None,
    derandomize="WORLDS" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

#: Files and folders that take longest, mostly because they start products; they run first, in this
#: order.  Those that mostly wait come before those that keep a processor busy.
LONG = (
    *("crash", "platform/test_silent_network.py"),
    *("browser/test_reach_demo.py", "browser/test_reach_large.py", "browser", "platform"),
    *("compat", "oidc"),
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return as many processes as cores, and one more for `logical`: tests that often wait."""
    cores = os.cpu_count() or 1
    return cores + 1 if config.option.numprocesses == "logical" else cores


def pytest_configure(config: pytest.Config) -> None:
    """Let all products of a run start from one prepared state folder."""
    shared = ExitStack()
    shared.enter_context(sharing())
    config.add_cleanup(shared.close)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """
    Pause garbage collection while tests are collected, and then exclude the collected objects.

    They stay until the end of the run, so the garbage collector would traverse them again and
    again, which takes a quarter of the time of collection. Tests create many objects that end with
    them, so collecting garbage seldom saves a twentieth of their time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


class _FileScheduling(LoadFileScheduling):  # type: ignore[misc]
    """Runs the tests of one file, or those of a folder that share a product, in one process."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        shared = _SHARED.search(nodeid)
        return path if shared is None else f"{path.rpartition('/')[0]} {shared[1]}"


#: The name of a product shared by tests of several files, at the end of the ids of these tests.
_SHARED = re.compile(r"\b(shared-\w+)\]$")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _FileScheduling | None:
    """Let `--dist loadfile` run tests that share a product in one process."""
    return _FileScheduling(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Start with the long files if several processes run tests, so that all end together."""
    if not hasattr(config, "workerinput"):
        return
    rank = {ROOT / name: number for number, name in enumerate(LONG)}
    last = len(LONG)
    items.sort(key=lambda item: rank.get(item.path, rank.get(item.path.parent, last)))


@pytest.fixture(scope="session")
def django_test_environment(django_test_environment: None) -> Iterator[None]:
    """Do not copy the context of each rendered template for clients: no test reads it."""
    with patch.object(
        Template, "_render", lambda template, context: template.nodelist.render(context)
    ):
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> Iterator[None]:
    """
    Let the processes of a run migrate only one SQLite database, and copy it.

    Django calls `prepare_database` before it migrates the test database, and then finds no
    migration to apply. A single process migrates its own database, which is as fast.
    """
    if connection.vendor != "sqlite" or "PYTEST_XDIST_WORKER" not in os.environ:
        yield
        return
    with patch.object(connection, "prepare_database", partial(fill_database, connection)):
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """
    Start the keys of each PostgreSQL table at a number of its own.

    A rollback does not reset sequences, so keys depend on the tests that ran before; a test that
    relies on small keys, or confuses the keys of two tables, fails at once. With `PARTITIONED`, the
    tables are those that `manage.py partition` makes.
    """
    with django_db_blocker.unblock():
        if connection.vendor == "postgresql":
            raise_sequences()
        if "PARTITIONED" in os.environ:
            with override_settings(PARTITION_ROWS=50):
                call_command("partition")


def raise_sequences() -> None:
    """Restart each sequence at a different number, above all keys that tests create."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(sequencename) FROM pg_sequences ORDER BY 1")
        for number, (name,) in enumerate(cursor.fetchall(), 1):
            cursor.execute(f"ALTER SEQUENCE {name} RESTART WITH {number * 10_000_000}")


@pytest.fixture(scope="session", autouse=True)
def _keep_connections() -> Iterator[None]:
    """Keep the connection between tests: a new one to PostgreSQL takes longer than most tests."""
    original = TestCase.__dict__["tearDownClass"]

    def tear_down(case: type[TestCase]) -> None:
        case._rollback_atomics(case.cls_atomics)
        super(TestCase, case).tearDownClass()

    TestCase.tearDownClass = classmethod(tear_down)
    yield
    TestCase.tearDownClass = original


@pytest.fixture(scope="module")
def standing(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """
    Keep the rows of module fixtures for all tests of the module; each test rolls back its own.

    Such a module overrides `org` and the members that it needs with module fixtures.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture(autouse=True)
def _reset_expensive_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget unfinished expensive requests of other tests, such as exports not read to the end."""
    monkeypatch.setattr(expensive, "_local_places", expensive._LocalPlaces())


@pytest.fixture(autouse=True)
def _clear_cached_ledgers() -> None:
    """Clear cached ledgers: after a rollback, another organization gets the same key."""
    forget_ledgers()


@pytest.fixture
def org(db: None) -> Organization:
    """The organization that most tests act in; it has no config yet."""
    return create_org("here", "Here", owner=None)


@pytest.fixture
def other_org(db: None) -> Organization:
    """An organization that members of `org` may not see."""
    return create_org("elsewhere", "Elsewhere", owner=None)


def member(org: Organization, role: str) -> Actor:
    """Return a new member of the organization with *role*."""
    user = create_user(f"{role}@{org.slug}.example", PASSWORD)
    Membership.objects.create(org=org, user=user, role=role)
    return Actor.from_user(org, user, role)


@pytest.fixture
def owner(org: Organization) -> Actor:
    """An owner of `org`, with all permissions."""
    return member(org, Role.OWNER)


@pytest.fixture
def editor(org: Organization) -> Actor:
    """An editor, who may read and draft configs."""
    return member(org, Role.EDITOR)


@pytest.fixture
def operator(org: Organization) -> Actor:
    """An operator, who may submit, manage all workloads, and hold queues."""
    return member(org, Role.OPERATOR)


@pytest.fixture
def submitter(org: Organization) -> Actor:
    """A submitter, who may submit workloads, and finish and withdraw their own."""
    return member(org, Role.SUBMITTER)


@pytest.fixture
def viewer(org: Organization) -> Actor:
    """A viewer, who may only read."""
    return member(org, Role.VIEWER)


@pytest.fixture
def outsider(other_org: Organization) -> User:
    """An owner of `other_org` who is not a member of `org`."""
    user = member(other_org, Role.OWNER).user
    assert user is not None
    return user


@pytest.fixture
def client_for() -> Callable[[Actor], Client]:
    """A function that returns a client with the session of an actor."""
    return signed_in


def signed_in(actor: Actor) -> Client:
    """Return a client with a new session of the actor."""
    assert actor.user is not None
    client = Client()
    client.force_login(actor.user)
    return client


@pytest.fixture
def api_for() -> Callable[[Actor], Client]:
    """A function that returns a client with a new token of an actor's organization and role."""
    return with_token


def with_token(actor: Actor) -> Client:
    """Return a client with a new token of the actor's organization and role."""
    secret = issue_token(actor.org, actor.role, f"{actor.role} token")
    return Client(headers={"authorization": f"Bearer {secret}"})


@pytest.fixture(autouse=True)
def _report_a_running_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Report a running worker to pages and lists: tests have no broker that could."""
    monkeypatch.setattr("console.heartbeat._cached", [(time.monotonic() + 3600, Pulse.BEATING)])


@pytest.fixture
def settle() -> Callable[[Organization], int]:
    """A function that runs the engine until the organization's intake is empty."""
    return settled


def settled(org: Organization) -> int:
    """Run the engine until the organization's intake is empty."""
    from console.workloads.services.run_engine import run_engine

    return run_engine(org.pk, seconds=60).decisions
