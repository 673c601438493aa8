"""The cast: people and tokens of one organization, and an outsider of another."""

from __future__ import annotations

import gc
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction
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
from tests.prepared import sharing

PASSWORD = "correct horse battery"

ROOT = Path(__file__).parent

# What is drawn is the same in every run, unless others are asked for; being slow is no fault on a
# machine that does other things, too.
settings.register_profile(
    "steady",
    deadline=None,
    derandomize="WORLDS" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

#: Files, and folders of files, that take longest: those that start products, the slowest first.
LONG = (
    *("crash", "browser/test_reach_demo.py", "browser/test_reach_large.py", "browser", "platform"),
    *("compat", "oidc"),
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Have one process more than there are cores: tests of products and pages often wait."""
    return (os.cpu_count() or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    """
    Let all products of a run start from one prepared state folder, and pause garbage collection.

    Collection of thousands of tests makes objects that stay until the end, so that the garbage
    collector would traverse them again and again: it takes a quarter of the time of collection.
    """
    gc.disable()
    shared = ExitStack()
    shared.enter_context(sharing())
    config.add_cleanup(shared.close)


class _Together(LoadFileScheduling):  # type: ignore[misc]
    """Gives a process the tests of one file, or those of a folder that share a product."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        shared = _SHARED.search(nodeid)
        return path if shared is None else f"{path.rpartition('/')[0]} {shared[1]}"


#: In the id of a test with a product that tests of several files share: which of them it is.
_SHARED = re.compile(r"\b(shared-\w+)\]$")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _Together | None:
    """Have `--dist loadfile` keep together what shares a product, too."""
    return _Together(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the long files when processes share the work, so that all of them end together."""
    if not hasattr(config, "workerinput"):
        return
    rank = {ROOT / name: number for number, name in enumerate(LONG)}
    last = len(LONG)
    items.sort(key=lambda item: rank.get(item.path, rank.get(item.path.parent, last)))


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection, and resume it."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """
    Have keys on PostgreSQL begin where those of no small world and of no other table are.

    Sequences outlive what a test undoes, so how high keys are depends on what ran before: this way
    whoever counts on their size fails at once. With `PARTITIONED`, all tests find what
    `manage.py partition` leaves.
    """
    with django_db_blocker.unblock():
        if connection.vendor == "postgresql":
            raise_sequences()
        if "PARTITIONED" in os.environ:
            with override_settings(PARTITION_ROWS=50):
                call_command("partition")


def raise_sequences() -> None:
    """Have every sequence go on beyond what any test makes, each somewhere else."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(sequencename) FROM pg_sequences ORDER BY 1")
        for number, (name,) in enumerate(cursor.fetchall(), 1):
            cursor.execute(f"ALTER SEQUENCE {name} RESTART WITH {number * 10_000_000}")


@pytest.fixture(scope="session", autouse=True)
def _connections_stay() -> Iterator[None]:
    """Keep the connection from test to test: a new one of PostgreSQL costs more than most tests."""
    ends = TestCase.__dict__["tearDownClass"]

    def undo(case: type[TestCase]) -> None:
        case._rollback_atomics(case.cls_atomics)
        super(TestCase, case).tearDownClass()

    TestCase.tearDownClass = classmethod(undo)
    yield
    TestCase.tearDownClass = ends


@pytest.fixture(scope="module")
def standing(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """
    Have what fixtures of a module make last as long as its tests, each of which undoes its own.

    Such a module overrides `org` and whoever it needs with fixtures of the module.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture(autouse=True)
def _no_question_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each test begin without the exports that another one did not read to their end."""
    monkeypatch.setattr(expensive, "_local_places", expensive._LocalPlaces())


@pytest.fixture(autouse=True)
def _no_ledger_is_kept() -> None:
    """Have each test read what its own organization uses: what is undone has its keys again."""
    forget_ledgers()


@pytest.fixture
def org(db: None) -> Organization:
    """The organization that most tests act in; it has no config yet."""
    return create_org("here", "Here", owner=None)


@pytest.fixture
def other_org(db: None) -> Organization:
    """An organization whose things nobody of `org` may see."""
    return create_org("elsewhere", "Elsewhere", owner=None)


def member(org: Organization, role: str) -> Actor:
    """Return somebody new who has *role* in the organization."""
    user = create_user(f"{role}@{org.slug}.example", PASSWORD)
    Membership.objects.create(org=org, user=user, role=role)
    return Actor.from_user(org, user, role)


@pytest.fixture
def owner(org: Organization) -> Actor:
    """May do everything in `org`."""
    return member(org, Role.OWNER)


@pytest.fixture
def editor(org: Organization) -> Actor:
    """May read and draft configs."""
    return member(org, Role.EDITOR)


@pytest.fixture
def operator(org: Organization) -> Actor:
    """May submit, manage everybody's work, and hold queues."""
    return member(org, Role.OPERATOR)


@pytest.fixture
def submitter(org: Organization) -> Actor:
    """May submit, and finish and withdraw their own work."""
    return member(org, Role.SUBMITTER)


@pytest.fixture
def viewer(org: Organization) -> Actor:
    """May look."""
    return member(org, Role.VIEWER)


@pytest.fixture
def outsider(other_org: Organization) -> User:
    """Owns `other_org` and is no member of `org`."""
    user = member(other_org, Role.OWNER).user
    assert user is not None
    return user


@pytest.fixture
def client_for() -> Callable[[Actor], Client]:
    """Return a browser in which the actor is signed in."""

    def signed_in(actor: Actor) -> Client:
        assert actor.user is not None
        client = Client()
        client.force_login(actor.user)
        return client

    return signed_in


@pytest.fixture
def api_for() -> Callable[[Actor], Client]:
    """Return an HTTP client with a fresh token of the actor's organization and role."""
    return with_token


def with_token(actor: Actor) -> Client:
    """Return an HTTP client with a fresh token of the actor's organization and role."""
    secret = issue_token(actor.org, actor.role, f"{actor.role} token")
    return Client(headers={"authorization": f"Bearer {secret}"})


@pytest.fixture(autouse=True)
def _a_worker_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have pages and lists find a worker: no broker is ever there to say so."""
    monkeypatch.setattr("console.heartbeat._cached", [(time.monotonic() + 3600, Pulse.BEATING)])


@pytest.fixture
def settle() -> Callable[[Organization], int]:
    """Return a function that runs the engine until the organization's intake is empty."""
    return settled


def settled(org: Organization) -> int:
    """Run the engine until the organization's intake is empty."""
    from console.workloads.services.run_engine import run_engine

    return run_engine(org.pk, seconds=60).decisions
