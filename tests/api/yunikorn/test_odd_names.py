"""Odd names in addresses and parameters are answered with an error, and never fail."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.api.yunikorn.conftest import Rest

_P = "partition/default"
ADDRESSES = [
    "partition/{}/queues",
    f"{_P}/queue/{{}}",
    f"{_P}/queue/{{}}/applications",
    f"{_P}/queue/{{}}/applications/{{}}",
    f"{_P}/queue/{{}}/application/{{}}",
    f"{_P}/queue/root.team.a/application/{{}}",
    f"{_P}/application/{{}}",
    f"{_P}/applications/{{}}",
    f"{_P}/applications/active?status={{}}",
    f"{_P}/applications/active?cursor={{}}",
    f"{_P}/applications/active?limit={{}}",
    f"{_P}/nodes?cursor={{}}",
    f"{_P}/node/{{}}",
    f"{_P}/usage/user/{{}}",
    f"{_P}/usage/group/{{}}",
    f"{_P}/usage/users?cursor={{}}",
    "events/batch?start={}",
    "events/batch?count={}",
]
NAMES = [
    *("\0", "\ud800", "é" * 100, "root." * 200, "..", "%", "a b", "💥", "<script>", "'", '"'),
    *("9" * 400, "-1", "1.1", "٣", "root.team.a.", ".root", "*", "[default]"),
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_odd_names_are_refused(scheduler: Rest, address: str) -> None:
    for name in NAMES:
        text = quote(name.encode("utf-8", "surrogatepass"), safe="")
        path = address.replace("{}", text)
        answer = scheduler.get(path)
        numeric = name.isascii() and name.isdigit() and "events" in address
        if numeric:
            assert answer.status == 200
            continue
        status, message, description = answer.error
        assert status in (400, 404), (name, answer.body)
        assert message
        assert description
