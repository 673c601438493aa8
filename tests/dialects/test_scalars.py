"""Scalars: numbers, words that YAML interprets, and how texts are quoted."""

from __future__ import annotations

import gc
import itertools
from decimal import Decimal

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from console.dialects.collector import collector_paused
from console.dialects.numbers import NumberProblem, read_amount, read_priority
from console.dialects.scalars import is_guessed, write_text
from console.engine.wording.suggest import nearest

THOUSANDTHS = st.decimals(0, 10**15, places=3)


@given(THOUSANDTHS)
def test_every_plain_decimal_is_read_exactly(number: Decimal):
    assert read_amount(f"{number:f}", plain=True) == int(number * 1000)
    assert read_amount(f"{number:f}", plain=False) != int(number * 1000)


INSTEAD = {
    "010": ("10", "8"),
    "08": ("8",),
    "00": ("0",),
    "-010": ("-10", "-8"),
    "0x1F": ("31",),
    "0o17": ("15",),
    "0b101": ("5",),
    "1_000": ("1000",),
    "1_000.5": ("1000.5",),
    "1e3": ("1000",),
    "1.5E2": ("150",),
    "25e-1": ("2.5",),
    "00.5": ("0.5",),
    "+5": ("5",),
    "12:30": ("750",),
    "1:00:00": ("3600",),
    "1.0005": ("1.000",),
    "0.12345": ("0.123",),
    "nan": (),
    ".INF": (),
    "-.inf": (),
    "-1": (),
    "1000000000000001": (),
    "9" * 1000: (),
    "1e99": (f"1{'0' * 99}",),
    "many": (),
    "": (),
    "٣": (),
}


#: Spellings of numbers that all YAML readers agree on.
AGREED = {"3.": 3000, ".5": 500, "0.": 0, "-0.": 0, "1.5E+2": 150_000, "1.0e+3": 1_000_000}


@pytest.mark.parametrize(("text", "amount"), AGREED.items())
def test_decimal_point_without_digits_on_one_side_is_read(text: str, amount: int):
    assert read_amount(text, plain=True) == amount
    assert yaml.safe_load(text) == amount / 1000


@pytest.mark.parametrize(("text", "instead"), INSTEAD.items(), ids=lambda value: str(value)[:20])
def test_number_in_another_spelling_is_rejected_with_a_suggestion(text: str, instead: tuple[str]):
    problem = read_amount(text, plain=True)
    assert isinstance(problem, NumberProblem)
    assert problem.instead == instead


def test_priorities_are_whole():
    assert read_priority("0", plain=True) == 0
    assert read_priority("2147483647", plain=True) == 2147483647
    for text in ("2147483648", "1.5", "-1", "1e3", "x"):
        assert isinstance(read_priority(text, plain=True), NumberProblem)


def _is_guessed_by_pyyaml(text: str) -> bool:
    tag = yaml.SafeLoader("").resolve(yaml.ScalarNode, text, (True, False))
    return bool(tag != "tag:yaml.org,2002:str")


def test_words_that_yaml_interprets_must_be_quoted():
    letters = "01a.e-+:_x="
    texts = ("".join(t) for size in range(1, 5) for t in itertools.product(letters, repeat=size))
    assert [text for text in texts if _is_guessed_by_pyyaml(text) and not is_guessed(text)] == []
    words = ("Yes", "NO", "on", "oFF", "True", "null", "~", "2024-01-01", "2024-1-1 10:00:00", "<<")
    assert [word for word in words if is_guessed(word)] == [w for w in words if w != "oFF"]


PRINTABLE = st.text(st.characters(exclude_categories=["Cs"]))


@given(PRINTABLE)
def test_a_text_that_was_written_is_read_as_the_same_text(text: str):
    for written in (write_text(text), write_text(text, plain=False)):
        assert "\n" not in written
        assert yaml.safe_load(f"[{written}]") == [text]
        assert yaml.safe_load(f"{written}: {written}") == {text: text}


STRANGE = "a:#\"'\\ \n\t\x1b\x7f\x85\u061c\u200f\u2028\u202e\u2067\ufeff"


@given(st.text(st.sampled_from(STRANGE), max_size=8))
def test_a_written_text_is_one_line_that_shows_in_the_order_in_which_it_is_read(text: str):
    written = write_text(text)
    assert yaml.safe_load(written) == text
    assert all(character.isprintable() for character in written)


NEAREST = [
    ("selectr", ["selector", "name"], "selector"),
    ("Resource-Queue", ["resource_queue", "selector"], "resource_queue"),
    ("nmae", ["name", "selector"], "name"),
    ("quota", ["nominal_quota", "lending_limit"], "nominal_quota"),
    ("limit", ["borrowing_limit", "lending_limit"], None),
    ("flavor_name", ["name", "resources"], "name"),
    ("colour", ["name", "selector"], None),
    ("max", ["min", "default"], None),
    ("", ["a"], None),
    ("x" * 101, ["x" * 100], None),
]


@pytest.mark.parametrize(("word", "choices", "expected"), NEAREST)
def test_nearest_word(word: str, choices: list[str], expected: str | None):
    assert nearest(word, choices) == expected


def test_garbage_collection_pauses_may_overlap():
    assert gc.isenabled()
    first, second = collector_paused(), collector_paused()
    first.__enter__()
    second.__enter__()
    assert not gc.isenabled()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_disabled_garbage_collection_stays_disabled():
    gc.disable()
    try:
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
