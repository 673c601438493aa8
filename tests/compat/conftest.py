"""A real product with organizations that nobody has used yet, and the client's users."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.compat.client import ENVIRONMENT, MISSING, AnyscaleClient, Commands
from tests.product import Api, Product, running

#: As many as tests ask for; each has one of its own.
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


@pytest.fixture(scope="package")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A product as users start it."""
    if not (ENVIRONMENT / "bin" / "anyscale").exists():
        pytest.fail(MISSING, pytrace=False)
    with running(Path(tmp_path_factory.mktemp("home"))) as product:
        yield product


@pytest.fixture(scope="package")
def orgs(product: Product) -> Iterator[tuple[str, dict[str, str]]]:
    """Fresh organizations, each a slug and its tokens by role."""
    made = product.manage("shell", "-c", _MAKE.format(count=COUNT)).splitlines()[-1]
    return iter(json.loads(made).items())


@pytest.fixture
def tokens(orgs: Iterator[tuple[str, dict[str, str]]]) -> tuple[str, dict[str, str]]:
    """The organization of this test, and its tokens by role."""
    return next(orgs)


@pytest.fixture(scope="package")
def commands(product: Product, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    """The client's programs, which know this product's address."""
    home = Path(tmp_path_factory.mktemp("client"))
    commands = Commands(f"http://127.0.0.1:{product.port}", home)
    yield commands
    commands.close()


@pytest.fixture
def client_of(
    commands: Commands, tokens: tuple[str, dict[str, str]], tmp_path: Path
) -> Callable[[str], AnyscaleClient]:
    """Return the client of somebody with a role, or with the very token given."""
    return lambda role: AnyscaleClient(commands, tokens[1].get(role, role), tmp_path)


@pytest.fixture
def client(client_of: Callable[[str], AnyscaleClient]) -> AnyscaleClient:
    """The client of an owner."""
    return client_of("owner")


@pytest.fixture
def api(product: Product, tokens: tuple[str, dict[str, str]]) -> Iterator[Api]:
    """The product's own API, as the same owner."""
    api = Api(product.port, tokens[0], tokens[1]["owner"])
    yield api
    api.close()
