"""Durations: those of Go, and those of arguments of plugins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.dialects.kai.durations import read_duration, read_plugin_duration

HOUR = 3_600_000


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("5s", 5_000),
        ("1m", 60_000),
        ("1h15m30.918s", 4_530_918),
        ("+2h", 2 * HOUR),
        ("-1.5h", -HOUR * 3 // 2),
        (".5s", 500),
        ("1.s", 1_000),
        ("3ms", 3),
        ("1999us", 1),
        ("1999\u00b5s", 1),
        ("1999\u03bcs", 1),
        ("999999ns", 0),
        ("-1999us", -1),
        ("0", 0),
        ("-0", 0),
        ("0s", 0),
        ("2540400h", 2_540_400 * HOUR),
    ],
)
def test_reads_durations_of_go(text: str, milliseconds: int) -> None:
    assert read_duration(text) == milliseconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "+",
        "-",
        "5",
        "s",
        ".s",
        "1..5s",
        "5 s",
        " 5s",
        "5s ",
        "1h 15m",
        "2h45m15",
        "--5s",
        "5S",
        "1d",
        "1w",
        "1e3s",
        "\u0665s",
        # More than Go can represent.
        "2562048h",
        "1" * 101 + "ns",
    ],
)
def test_refuses_other_texts(text: str) -> None:
    assert read_duration(text) is None


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("5s", 5_000),
        ("1d", 24 * HOUR),
        ("1w", 7 * 24 * HOUR),
        ("1w2d3h", (9 * 24 + 3) * HOUR),
        ("0.5d", 12 * HOUR),
        ("0", 0),
        # KAI takes 0 instead of these.
        ("-5s", None),
        ("-1w", None),
        ("abc", None),
        ("5", None),
        ("", None),
    ],
)
def test_arguments_of_plugins_also_have_days_and_weeks(text: str, milliseconds: int | None) -> None:
    assert read_plugin_duration(text) == milliseconds


@given(st.integers(0, 10**8), st.integers(0, 59), st.integers(0, 999))
def test_parts_add_up(minutes: int, seconds: int, milliseconds: int) -> None:
    text = f"{minutes}m{seconds}s{milliseconds}ms"
    assert read_duration(text) == (minutes * 60 + seconds) * 1000 + milliseconds


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    long = read_plugin_duration(text)
    short = read_duration(text)
    assert short is None or short < 0 or short == long
