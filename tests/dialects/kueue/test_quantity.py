"""Quantities have exactly the value that Kubernetes gives them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.dialects.quantity import (
    INT64_MAX,
    amount_of,
    format_quantity,
    parse_quantity,
    suggest_quantities,
)
from console.engine.model.amounts import UNLIMITED, Amount

COUNTED: list[tuple[str, str, Amount]] = [
    ("0", "cpu", 0),
    ("2", "cpu", 2_000),
    ("1500m", "cpu", 1_500),
    ("1.5", "cpu", 1_500),
    (".5", "cpu", 500),
    ("5.", "cpu", 5_000),
    ("+3", "cpu", 3_000),
    ("-3", "cpu", -3_000),
    ("100u", "cpu", 1),
    ("1n", "cpu", 1),
    ("-100u", "cpu", -1),
    ("1n", "memory", 1_000),
    ("100m", "nvidia.com/gpu", 1_000),
    ("2500m", "nvidia.com/gpu", 3_000),
    ("1k", "pods", 1_000_000),
    ("3M", "memory", 3 * 10**9),
    ("1Ki", "memory", 1_024_000),
    ("1.5Gi", "memory", 3 * 2**29 * 1000),
    ("0.1Ki", "memory", 103_000),
    ("2e3", "pods", 2_000_000),
    ("2E3", "pods", 2_000_000),
    ("2e+3", "pods", 2_000_000),
    ("2500e-3", "cpu", 2_500),
    ("1E", "memory", 10**21),
    ("1Ei", "memory", 2**60 * 1000),
    (str(INT64_MAX - 1), "pods", (INT64_MAX - 1) * 1000),
    (str(INT64_MAX), "pods", UNLIMITED),
    ("8Ei", "memory", UNLIMITED),
    ("1e999999999999", "memory", UNLIMITED),
    ("1e-999999999999", "memory", 1_000),
    ("0e999999999999", "memory", 0),
    ("9223372036854775", "cpu", 9_223_372_036_854_775_000),
    ("9223372036854775.807", "cpu", UNLIMITED),
    ("9223372036854775806m", "cpu", 9_223_372_036_854_775_806),
    ("-8Ei", "memory", -INT64_MAX * 1000),
]


@pytest.mark.parametrize(("text", "resource", "amount"), COUNTED)
def test_a_quantity_counts_as_in_kueue(text: str, resource: str, amount: Amount):
    assert amount == amount_of(text, resource)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", ".", "-", "+", "e3", "m", "1 Gi", "1gi", "1K", "1GB", "1e", "1ee3", "1Kie3"),
        *("1e3Ki", "1mi", "1_000", "1,000", "0x10", "--1", "1.2.3", "∞", "１", "1\n", "NaN", "inf"),
        "9" * 101,
    ],
)
def test_invalid_quantity_is_reported_in_one_sentence(text: str):
    with pytest.raises(ValueError, match=r'^".*" is not a quantity$'):
        amount_of(text, "cpu")


CANONICAL = [
    ("12000m", "12"),
    ("1500m", "1500m"),
    ("1.5", "1500m"),
    ("0.5Gi", "512Mi"),
    ("2048Mi", "2Gi"),
    ("1023", "1023"),
    ("1Ki", "1Ki"),
    ("0.5Ki", "512"),
    ("1025Ki", "1025Ki"),
    ("0.0001Ki", "102400u"),
    ("1000", "1k"),
    ("1000k", "1M"),
    ("1.5G", "1500M"),
    ("0.1n", "1n"),
    ("12e6", "12e6"),
    ("1E5", "100e3"),
    ("5e0", "5"),
    ("5e-1", "500e-3"),
    ("1000P", "1E"),
    ("9E", "9E"),
    ("100E", "9223372036854775807"),
    ("-0", "0"),
    ("-1500m", "-1500m"),
    ("0Ki", "0"),
    ("0e9", "0"),
]


@pytest.mark.parametrize(("text", "canonical"), CANONICAL)
def test_the_canonical_form_is_the_stored_one(text: str, canonical: str):
    assert canonical == str(parse_quantity(text))


NUMBERS = st.from_regex(
    r"[+-]?([0-9]{1,9}\.?[0-9]{0,9}|\.[0-9]{1,9})"
    r"(n|u|m|k|[KMGTPE]i|[MGTPE]|[eE][+-]?[0-9]{1,2})?",
    fullmatch=True,
)


@given(text=NUMBERS)
def test_canonical_form_is_equal_and_idempotent(text: str):
    quantity = parse_quantity(text)
    canonical = str(quantity)
    assert quantity.nanos == parse_quantity(canonical).nanos
    assert canonical == str(parse_quantity(canonical))
    for resource in ("cpu", "memory", "nvidia.com/gpu"):
        assert amount_of(text, resource) == amount_of(canonical, resource)


@given(whole=st.integers(0, 10**12), millis=st.integers(0, 999))
def test_amounts_are_exact_or_rounded_up(whole: int, millis: int):
    text = f"{whole}.{millis:03d}"
    number = Fraction(text)
    assert amount_of(text, "cpu") == number * 1000
    assert amount_of(text, "memory") == -(-number // 1) * 1000


@given(amount=st.integers(0, INT64_MAX - 1), resource=st.sampled_from(["cpu", "memory", "pods"]))
def test_amounts_are_written_as_quantities_that_read_back(amount: int, resource: str):
    counted = amount if resource == "cpu" else amount * 1000
    assert counted == amount_of(format_quantity(counted, resource), resource)


def test_amounts_are_written_with_the_suffixes_of_their_resource():
    assert [
        format_quantity(amount, resource)
        for amount, resource in [
            (1_500, "cpu"),
            (12_000, "cpu"),
            (2**31 * 1000, "memory"),
            (2**31 * 1000, "ephemeral-storage"),
            (2**31 * 1000, "hugepages-2Mi"),
            (2_000_000, "nvidia.com/gpu"),
            (UNLIMITED, "cpu"),
        ]
    ] == ["1500m", "12", "2Gi", "2Gi", "2Gi", "2k", "unlimited"]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("16GB", ("16G",)),
        ("16gb", ("16G",)),
        ("16GiB", ("16Gi",)),
        ("16gi", ("16Gi",)),
        ("16g", ("16G",)),
        ("64K", ("64k", "64Ki")),
        ("1 Gi", ("1Gi",)),
        ("1,000", ("1000",)),
        ("1_000Mi", ("1000Mi",)),
        ("16 apples", ()),
        ("many", ()),
    ],
)
def test_suggested_quantities_are_valid(text: str, meant: tuple[str, ...]):
    assert meant == suggest_quantities(text)
    for quantity in meant:
        parse_quantity(quantity)
