"""The sentences of findings that compare what a queue, limit or rule states with another one."""

from __future__ import annotations

import pytest

from tests.dialects.yunikorn.texts import in_partition, read

LIMIT = "limits: [{users: [ann], maxresources: {vcore: %s}, maxapplications: %s}]"


def _limits(above: tuple[int, int], below: tuple[int, int]) -> str:
    child = f"{{name: b, {LIMIT % below}}}"
    return in_partition(f"{{name: a, {LIMIT % above}, queues: [{child}]}}")


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (
            in_partition("{name: a, resources: {guaranteed: {vcore: 2}, max: {vcore: 500m}}}"),
            ['"a" guarantees vcore 2 (at most 500m), more than its maximum.'],
        ),
        (
            in_partition(
                "{name: a, resources: {max: {vcore: 1}}, queues: "
                "[{name: b, resources: {max: {vcore: 2}}}]}"
            ),
            ['"b" may use vcore 2 (at most 1), more than a queue above it may use.'],
        ),
        (
            _limits((1, 3), (2, 3)),
            [
                (
                    'The limit for the user "ann" is vcore 2 (at most 1), more than the limit for '
                    "the same name in a queue above."
                )
            ],
        ),
        (
            _limits((1, 3), (1, 5)),
            [
                (
                    'The limit for the user "ann" allows 5 applications, more than the 3 of the '
                    "limit for the same name in a queue above."
                )
            ],
        ),
        (
            in_partition("{name: a, maxapplications: 3, queues: [{name: b, maxapplications: 5}]}"),
            ['maxapplications is 5, more than the 3 of "a" above.'],
        ),
        (
            "partitions: [{placementrules: [{name: user, filter: {users: [bob$]}}], queues: []}]",
            ['"bob$" is a regular expression: it matches every name that ends with bob.'],
        ),
    ],
)
def test_messages(text: str, messages: list[str]) -> None:
    assert [each.message for each in read(text).diagnostics] == messages
