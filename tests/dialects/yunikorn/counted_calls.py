"""
Program that prints how many calls it takes to read short and long texts of several shapes.

It runs in a process of its own: in CPython 3.11, profiling can run forever in a process that has
profiled code objects before which are freed.
"""

from __future__ import annotations

import json
import sys
from types import FrameType
from typing import Any

from tests.dialects.yunikorn.texts import in_partition, read

#: How many times something is repeated in a short and in a long text.
SHORT, LONG = 200, 400


def calls(text: str) -> int:
    """Return the number of calls, of functions in C as well, that it takes to read *text*."""
    count = 0

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        read(text)
    finally:
        sys.setprofile(None)
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


SHAPES = (
    above_a_maximum,
    maxima_below_one_of_many_resources,
    limits_below_one_of_many_resources,
    rules_for_queues,
)

if __name__ == "__main__":
    counts = {each.__name__: [calls(each(SHORT)), calls(each(LONG))] for each in SHAPES}
    print(json.dumps(counts))
