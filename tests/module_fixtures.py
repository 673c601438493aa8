"""Organization fixtures with module scope; each test rolls its own changes back."""

from __future__ import annotations

from typing import Any

import pytest

from console.orgs.models import Organization, Role
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from tests.conftest import member


def module_org() -> tuple[Any, Any]:
    """
    Return two fixtures for a module, to be named `org` and `owner`.

    Rows that other fixtures of module scope create for them persist, too.
    """

    @pytest.fixture(scope="module")
    def org(standing: None) -> Organization:
        return create_org("here", "Here", owner=None)

    @pytest.fixture(scope="module")
    def owner(org: Organization) -> Actor:
        return member(org, Role.OWNER)

    return org, owner
