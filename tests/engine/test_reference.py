"""The reference model agrees with every case of Kueue."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from console.dialects.conformance import Verdict, run_case
from tests.engine.reference_model.conformance import ReferenceEngine

VECTORS = sorted((Path(__file__).parents[1] / "vectors" / "kueue").glob("*.json"))

#: Cases that need a feature gate of Kueue or a policy value that this product does not have.
SKIPPED = {
    "cycle-30-shrinking-switched-off",
    "cycle-fair-15-overlapping-victims-skipped-without-recomputing",
    "cycle-overlap-06-without-recomputing-the-second-reclaimer-is-skipped",
}


@pytest.mark.parametrize(
    "vector",
    [
        pytest.param(vector, id=vector["id"])
        for path in VECTORS
        for vector in json.loads(path.read_text("utf-8"))
    ],
)
def test_the_model_agrees_with_kueue(vector: dict[str, object]) -> None:
    result = run_case(vector, ReferenceEngine())
    expected = Verdict.SKIPPED if vector["id"] in SKIPPED else Verdict.AGREES
    assert result.verdict is expected, result.sentences
