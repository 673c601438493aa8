"""Fixtures: one product per database, shared by the crash tests, and its organizations."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.crash.products import DATABASES, running_on
from tests.product import Product

#: Number of organizations; each test uses one of its own.
COUNT = 12

_MAKE = f"""
import json
from console.orgs.models import User
from console.orgs.services.create_org import create_org
from console.orgs.services.issue_token import issue_token
owner = User.objects.get()
orgs = [create_org(f"crash-{{number}}", f"Crash {{number}}", owner) for number in range({COUNT})]
print(json.dumps({{org.slug: issue_token(org, "owner", "test") for org in orgs}}))
"""


@pytest.fixture(scope="package", params=DATABASES, ids="shared-{}".format)
def product(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Product]:
    """
    A product with two workers, running before and after each test.

    A test of a single database names it as the parameter, with the same id: by the id, one process
    gets all tests that share the product (tests/conftest.py).
    """
    home = tmp_path_factory.mktemp("crash") / "home"
    settings = {"WORKER_PROCESSES": "2", "WEBHOOK_ALLOWED_NETWORKS": "127.0.0.1"}
    with running_on(request.param, home, **settings) as product:
        tokens = json.loads(product.manage("shell", "-c", _MAKE).splitlines()[-1])
        product.tokens |= {(slug, "owner"): token for slug, token in tokens.items()}
        yield product


@pytest.fixture(scope="package")
def organizations(product: Product) -> Iterator[str]:
    """The slugs of organizations that no test has used yet."""
    return iter([slug for slug, role in product.tokens if role == "owner"])


@pytest.fixture
def org(organizations: Iterator[str]) -> str:
    """The slug of an unused organization with an owner and without a config."""
    return next(organizations)
