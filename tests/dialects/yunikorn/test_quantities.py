"""The table of quantities, with YuniKorn's message for each that is none."""

from __future__ import annotations

import json

import pytest

from console.dialects.yunikorn.quantities import (
    LARGEST,
    QuantityProblem,
    read_quantity,
    write_quantity,
)
from console.dialects.yunikorn.validator import LOAD_FAILED, validator_message
from tests.dialects.yunikorn.texts import in_partition, read, spec_of

BAD, SUFFIX, OVERFLOW = "invalid quantity", "invalid suffix", "invalid quantity: overflow"
#: Text -> the amount of vcore, and that of any other resource; a text is YuniKorn's message.
TABLE: dict[str, tuple[int | str, int | str]] = {
    "10": (10_000, 10),
    "500m": (500, SUFFIX),
    "1k": (1_000_000, 1000),
    "2Gi": (2 * 2**30 * 1000, 2 * 2**30),
    "2 Gi": (2 * 2**30 * 1000, 2 * 2**30),
    " 7\t": (7000, 7),
    "007": (7000, 7),
    "0": (0, 0),
    "2K": (SUFFIX, SUFFIX),
    "2ki": (SUFFIX, SUFFIX),
    "1mi": (SUFFIX, SUFFIX),
    "1.5": (BAD, BAD),
    "-1": (BAD, BAD),
    "+1": (BAD, BAD),
    "1e3": (BAD, BAD),
    "": (BAD, BAD),
    "mi": (BAD, BAD),
    "1 k i": (BAD, BAD),
    "1GB": (BAD, BAD),
    "٣": (BAD, BAD),
    "9223372036854775": (9223372036854775000, 9223372036854775),
    "9223372036854776": (OVERFLOW, 9223372036854776),
    "9223372036854775807": (OVERFLOW, LARGEST),
    "9223372036854775808": (OVERFLOW, OVERFLOW),
    "9E": (OVERFLOW, 9 * 10**18),
    "10E": (OVERFLOW, OVERFLOW),
    "7Ei": (OVERFLOW, 8070450532247928832),
    "8Ei": (OVERFLOW, OVERFLOW),
    "9" * 5000: (OVERFLOW, OVERFLOW),
}
CELLS = [
    (resource, text, row[0] if resource == "vcore" else row[1])
    for text, row in TABLE.items()
    for resource in ("vcore", "memory", "vcores", "nvidia.com/gpu")
]


@pytest.mark.parametrize(("resource", "text", "expected"), CELLS)
def test_a_quantity_is_an_amount_or_has_the_message(
    resource: str, text: str, expected: int | str
) -> None:
    found = read_quantity(text, resource)
    assert (found.original if isinstance(found, QuantityProblem) else found) == expected
    queue = f"{{name: a, resources: {{max: {{{resource}: {json.dumps(text)}}}}}}}"
    config = in_partition(queue)
    first, at_start = validator_message(config)
    assert (first, at_start) == (expected if isinstance(expected, str) else None, None)
    # The root does not check its template before it starts.
    template = f"childtemplate: {{resources: {{max: {{{resource}: {json.dumps(text)}}}}}}}"
    _, at_start = validator_message(in_partition(f"{{name: root, {template}}}"))
    assert at_start == (
        f"{LOAD_FAILED}configured queue creation failed: \n{expected}"
        if isinstance(expected, str)
        else None
    )


@pytest.mark.parametrize("resource", ["vcore", "memory"])
@pytest.mark.parametrize(
    "amount", [0, 1, 999, 1000, 1500, 2**30, 10**9, 3 * 10**12, 7 * 2**60, LARGEST // 1000 * 1000]
)
def test_a_written_amount_is_read_as_the_same(resource: str, amount: int) -> None:
    assert read_quantity(write_quantity(amount, resource), resource) == amount


def test_texts_of_maps_are_those_of_the_scalars() -> None:
    queue = "{name: a, resources: {max: {memory: 0x10, vcore: true, gpu: 1.0, pods: null}}}"
    found = [(each.path, each.original) for each in read(in_partition(queue)).diagnostics]
    below = "partitions[0].queues[0].resources.max"
    names = ("memory", "vcore", "gpu", "pods")
    assert found == [(f"{below}.{name}", BAD) for name in names]


def test_amounts_of_zeros_are_not_set_by_a_switch() -> None:
    both = in_partition(
        "{name: a, resources: {guaranteed: {memory: 0}, max: {memory: 0}}},"
        " {name: b, resources: {max: {memory: 0, vcore: 10}}}, {name: c, resources: {max: {}}}"
    )
    assert {name: each.maximum for name, each in spec_of(both).queues.items()} == {
        "root": None,
        "root.a": {"memory": 0},
        "root.b": {"memory": 0, "vcore": 10_000},
        "root.c": None,
    }
    as_there = spec_of(f"x-compatibility: zero_is_unlimited\n{both}").queues
    assert (as_there["root.a"].guaranteed, as_there["root.a"].maximum) == (None, None)
    assert as_there["root.b"].maximum == {"memory": 0, "vcore": 10_000}
