"""Labels that would make a flavor accept a rejected workload, with the value to set."""

from __future__ import annotations

import pytest

from console.dialects import dialects
from console.engine.counterfactual.change import ChangeKind
from console.engine.disciplines.quota.explain.fixes import flavor_fixes
from console.engine.routing.route_result import find_route_result
from tests.engine.builders import workload

CONFIG = """\
resource_flavors:
  - name: a100
    selector: [{key: accelerator, operator: in, values: [V100, A100]}]
  - name: spot
    selector:
      - {key: market, operator: in, values: [SPOT]}
      - {key: zone, operator: exists}
  - name: plain
    selector: [{key: accelerator, operator: not_in, values: [A10]}]
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu]
        flavors:
FLAVORS
scheduling_rules:
  - resource_queue: train
"""


def fixes(labels: dict[str, str], *flavors: str) -> list[tuple[ChangeKind, object, str]]:
    """Return kind, new value and text of each fix, for a queue with *flavors*."""
    listed = "\n".join(
        f"          - {{name: {each}, resources: [{{name: gpu, nominal_quota: 4}}]}}"
        for each in flavors
    )
    reading = dialects()["native"].read(CONFIG.replace("FLAVORS", listed), {})
    assert reading.policy is not None, reading.errors
    found = flavor_fixes(find_route_result(reading.policy, workload("w", labels=labels, gpu=1)))
    return [(change.kind, change.to, sentence.text) for change, sentence in found]


@pytest.mark.parametrize(
    ("labels", "flavor", "expected"),
    [
        (
            {"accelerator": "A10"},
            "a100",
            (ChangeKind.LABEL, "A100", "set accelerator to A100 (now A10), to match a100 of train"),
        ),
        (
            {},
            "a100",
            (ChangeKind.LABEL, "V100", "set accelerator to V100 (not set), to match a100 of train"),
        ),
        (
            {"zone": "eu", "market": "RESERVED"},
            "spot",
            (ChangeKind.LABEL, "SPOT", "set market to SPOT (now RESERVED), to match spot of train"),
        ),
        (
            {"market": "SPOT"},
            "spot",
            (ChangeKind.LABEL, "true", "set zone to true (not set), to match spot of train"),
        ),
        (
            {},
            "spot",
            (
                ChangeKind.REQUEST,
                None,
                "change labels to match spot of train, which requires market in [SPOT]",
            ),
        ),
        (
            {"accelerator": "A10"},
            "plain",
            (ChangeKind.LABEL, None, "remove accelerator (now A10), to match plain of train"),
        ),
    ],
    ids=["one letter", "absent", "another value", "a key", "two labels", "a label too many"],
)
def test_the_label_has_the_value_that_is_missing(
    labels: dict[str, str], flavor: str, expected: tuple[ChangeKind, object, str]
) -> None:
    kind, value, words = expected
    assert fixes(labels, flavor) == [(kind, value, f"In the request: {words}.")]


def test_each_flavor_has_its_own_fix() -> None:
    assert [(kind, value) for kind, value, _ in fixes({"accelerator": "A10"}, "a100", "spot")] == [
        (ChangeKind.LABEL, "A100"),
        (ChangeKind.REQUEST, None),
    ]
