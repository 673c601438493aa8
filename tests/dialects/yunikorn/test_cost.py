"""The checks of a config take a number of calls in proportion to its length."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from console.dialects.yunikorn import resource_checks
from tests.dialects.yunikorn.texts import in_partition, read


def calls(text: str) -> int:
    """Return the number of calls, of functions in C as well, that it takes to read *text*."""
    count = 0

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        read(text)
    finally:
        sys.setprofile(before)
    return count


def amounts(count: int, value: int = 1) -> str:
    return "{" + ", ".join(f"r{index}: {value}" for index in range(count)) + "}"


def below(parent: str, child: str, count: int) -> str:
    """Return a queue with others below it; INDEX stands for the number of each."""
    children = ", ".join(
        f"{{name: q{index}, {child.replace('INDEX', str(index))}}}" for index in range(count)
    )
    return in_partition(f"{{name: p, {parent}, queues: [{children}]}}")


def above_a_maximum(count: int) -> str:
    stated = f"resources: {{max: {amounts(count, 2)}}}"
    return below(f"resources: {{max: {amounts(count)}}}", stated, 1)


def maxima_below_one_of_many_resources(count: int) -> str:
    return below(f"resources: {{max: {amounts(count)}}}", "resources: {max: {r0: 1}}", count)


def limits_below_one_of_many_resources(count: int) -> str:
    def limit(stated: str) -> str:
        return f"limits: [{{users: [ann], maxresources: {stated}}}]"

    return below(limit(amounts(count)), limit("{r0: 1}"), count)


def rules_for_queues(count: int) -> str:
    rules = ", ".join(f"{{name: fixed, value: root.p.q{index}}}" for index in range(count))
    queues = below("parent: true", 'submitacl: "*"', count)
    return queues.replace("[{", f"[{{ placementrules: [{rules}],", 1)


@pytest.mark.parametrize(
    "text_of",
    [
        above_a_maximum,
        maxima_below_one_of_many_resources,
        limits_below_one_of_many_resources,
        rules_for_queues,
    ],
)
def test_twice_the_text_takes_twice_the_calls(text_of: Callable[[int], str]) -> None:
    assert calls(text_of(400)) < 2.1 * calls(text_of(200))


def test_messages_are_written_for_problems_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource_checks, "show_original", None)
    stated = "resources: {guaranteed: {r0: 1}}"
    assert read(below("resources: {guaranteed: {r0: 2}}", stated, 2)).diagnostics == ()
