"""Fixtures of the engine tests."""

from __future__ import annotations

import pytest

from tests.engine.engine_adapters import ENGINES, Engine


@pytest.fixture(params=ENGINES.values(), ids=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Adapters of the reference model and of the product's engine; examples must hold for both."""
    found: Engine = request.param
    return found
