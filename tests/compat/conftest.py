"""Fixtures: a running product with unused organizations, and clients of their users."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.compat.client import ENVIRONMENT, MISSING, AnyscaleClient, Commands
from tests.product import Api, Product, running

#: Number of organizations; each test uses one of its own.
COUNT = 16

_MAKE = """
import json
from console.orgs.models import Role
from console.orgs.services.create_org import create_org
from console.orgs.services.issue_token import issue_token
orgs = [create_org(f"org-{{number}}", f"Org {{number}}", None) for number in range({count})]
print(json.dumps({{
    org.slug: {{role: issue_token(org, role, f"{{role}} token") for role in Role.values}}
    for org in orgs
}}))
"""


#: The mark of both test files. By the id, one process gets all tests that share the product
#: (tests/conftest.py).
SHARED = pytest.mark.parametrize("product", [None], ids=["shared-compat"], indirect=True)


@pytest.fixture(scope="package")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A product, started as users start it."""
    if not (ENVIRONMENT / "bin" / "anyscale").exists():
        pytest.fail(MISSING, pytrace=False)
    with running(Path(tmp_path_factory.mktemp("home"))) as product:
        yield product


@pytest.fixture(scope="package")
def orgs(product: Product) -> Iterator[tuple[str, dict[str, str]]]:
    """Unused organizations: the slug and the tokens by role of each."""
    made = product.manage("shell", "-c", _MAKE.format(count=COUNT)).splitlines()[-1]
    return iter(json.loads(made).items())


@pytest.fixture
def tokens(orgs: Iterator[tuple[str, dict[str, str]]]) -> tuple[str, dict[str, str]]:
    """The organization of this test and its tokens by role."""
    return next(orgs)


@pytest.fixture(scope="package")
def commands(product: Product, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    """The programs of the client, configured with the address of the product."""
    home = Path(tmp_path_factory.mktemp("client"))
    commands = Commands(f"http://127.0.0.1:{product.port}", home)
    yield commands
    commands.close()


@pytest.fixture
def client_of(
    commands: Commands, tokens: tuple[str, dict[str, str]], tmp_path: Path
) -> Callable[[str], AnyscaleClient]:
    """Return a function that returns a client for a role or for a given token."""
    return lambda role: AnyscaleClient(commands, tokens[1].get(role, role), tmp_path)


@pytest.fixture
def client(client_of: Callable[[str], AnyscaleClient]) -> AnyscaleClient:
    """The client of an owner."""
    return client_of("owner")


@pytest.fixture
def api(product: Product, tokens: tuple[str, dict[str, str]]) -> Iterator[Api]:
    """The API of the product, with the token of the same owner."""
    api = Api(product.port, tokens[0], tokens[1]["owner"])
    yield api
    api.close()
