"""What tests of the engine share."""

from __future__ import annotations

import pytest

from tests.engine.engine_adapters import ENGINES, Engine


@pytest.fixture(params=ENGINES.values(), ids=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    """The slow model, then the product's engine: worked examples hold for both."""
    found: Engine = request.param
    return found
