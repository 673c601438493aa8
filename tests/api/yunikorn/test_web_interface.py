"""YuniKorn's web interface finds what it shows; tests/platform asks a running product."""

from __future__ import annotations

from tests.api.yunikorn.conftest import Busy
from tests.api.yunikorn.web_interface import show_dashboard, show_partition


def test_all_requests_of_the_web_interface_are_answered(busy: Busy) -> None:
    default, gpu = show_dashboard(busy.rest.read)
    assert default["applications"] == {"Running": 3, "Accepted": 1, "total": 4}
    running = dict.fromkeys([busy.ids["one"], busy.ids["wide"], busy.ids["space"]], "Running")
    shown = show_partition(busy.rest.read, default["name"])
    assert shown == {**running, busy.ids["waits"]: "Accepted"}
    assert show_partition(busy.rest.read, gpu["name"]) == {busy.ids["other"]: "Running"}
