"""Amounts are exact, and UNLIMITED absorbs arithmetic."""

from __future__ import annotations

import copy
import pickle
import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.engine.model.amounts import (
    UNLIMITED,
    Amount,
    amount_to_number,
    decode_amount,
    encode_amount,
    format_amount,
    parse_amount,
)

thousandths = st.integers(-(10**18), 10**18)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("0", 0),
        ("1", 1000),
        ("0.001", 1),
        ("1.5", 1500),
        ("1.500", 1500),
        ("1.5000", 1500),
        ("1e3", 1_000_000),
        ("0.1", 100),
        ("999999999999.999", 999_999_999_999_999),
        ("-2.5", -2500),
    ],
)
def test_a_plain_number_is_read_as_thousandths(text: str, amount: int) -> None:
    assert parse_amount(text) == amount


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "'' is not a number"),
        ("four", "'four' is not a number"),
        ("1,5", "'1,5' is not a number"),
        ("NaN", "'NaN' is not a finite number"),
        ("Infinity", "'Infinity' is not a finite number"),
        ("0.0001", "0.0001 has more than three decimals"),
        ("1e17", "1e17 is too large; the largest amount is 1e15"),
    ],
)
def test_an_invalid_amount_is_rejected_with_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        parse_amount(text)


@given(thousandths)
def test_writing_and_reading_an_amount_is_exact(amount: int) -> None:
    bounded = amount // 1000
    assert parse_amount(format_amount(bounded)) == bounded
    assert Decimal(format_amount(amount)) * 1000 == amount


@pytest.mark.parametrize(
    ("amount", "text", "number"),
    [
        (0, "0", 0),
        (1, "0.001", 0.001),
        (1500, "1.5", 1.5),
        (24_000, "24", 24),
        (-1500, "-1.5", -1.5),
        (-2000, "-2", -2),
        (UNLIMITED, "unlimited", None),
    ],
)
def test_an_amount_is_written_in_its_unit(amount: Amount, text: str, number: float | None) -> None:
    assert format_amount(amount) == text
    assert amount_to_number(amount) == number
    assert decode_amount(encode_amount(amount)) == amount


@given(thousandths)
def test_unlimited_is_above_every_number_and_absorbs_arithmetic(amount: int) -> None:
    assert amount < UNLIMITED
    assert amount <= UNLIMITED
    assert not amount > UNLIMITED
    assert not amount >= UNLIMITED
    assert amount < UNLIMITED
    assert min(amount, UNLIMITED) == min(UNLIMITED, amount) == amount
    assert max(amount, UNLIMITED) is max(UNLIMITED, amount) is UNLIMITED
    assert UNLIMITED + amount is amount + UNLIMITED is UNLIMITED - amount is UNLIMITED


def test_there_is_one_unlimited() -> None:
    assert not UNLIMITED > UNLIMITED
    assert not UNLIMITED < UNLIMITED
    assert UNLIMITED >= UNLIMITED
    assert UNLIMITED <= UNLIMITED
    assert UNLIMITED + UNLIMITED is UNLIMITED
    assert copy.deepcopy(UNLIMITED) is UNLIMITED
    assert pickle.loads(pickle.dumps(UNLIMITED)) is UNLIMITED  # noqa: S301
    assert decode_amount(encode_amount(UNLIMITED)) is UNLIMITED
