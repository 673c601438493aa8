"""The pages of the documentation pictures, in the organization with a day of history."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page


def _as_it_is(page: Page) -> None:
    """Do nothing: the page is shown as it loads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A picture: a path below the organization, and the steps before the picture is taken."""

    name: str
    path: str
    width: int = 1280
    height: int = 800
    arrange: Callable[[Page], None] = _as_it_is


def stops(ask: Callable[[str], Any]) -> Iterator[Stop]:
    """Yield the stops; *ask* returns the API response of a path."""
    yield Stop(name="overview", path="", height=980)
    yield Stop(name="queues", path="queues", width=1500, height=760)
    yield Stop(name="usage", path="queues/ml_training/usage?range=24h", height=980, arrange=_read)
    yield Stop(name="workloads", path="workloads")
    stopped, number = _preempted(ask)
    yield Stop(name="timeline", path=f"workloads/{stopped}?tab=timeline", height=900)
    yield Stop(name="receipt", path=f"workloads/{stopped}/preemptions/{number}", height=900)
    yield Stop(name="events", path="events", height=1000)
    yield Stop(name="audit", path="events/audit?action=config&action=queue&action=token")
    yield Stop(name="members", path="settings/members", height=560)
    yield Stop(name="tokens", path="settings/tokens", height=560)
    yield Stop(name="webhook", path="settings/webhooks/1", height=900)
    yield Stop(name="retention", path="settings/retention", height=980)


def _read(page: Page) -> None:
    """Move the cursor of the charts to a time and show its values."""
    plot = page.locator("#chart-use .chart__plot")
    box = plot.bounding_box()
    assert box is not None
    plot.hover(position={"x": box["width"] * 0.7, "y": box["height"] * 0.6})
    page.locator("#chart-use .chart__readout").wait_for()


def _preempted(ask: Callable[[str], Any]) -> tuple[str, int]:
    """Return a workload that was preempted and continued, and the number of its receipt."""
    for event in ask("/events?type=REQUEST_PREEMPTED&limit=200")["results"]:
        uid = event["workload"]
        if ask(f"/workloads/{uid}")["state"] in ("finished", "admitted"):
            receipts = ask(f"/workloads/{uid}/preemptions")["results"]
            return uid, next(each["seq"] for each in receipts if each["role"] == "victim")
    raise AssertionError("nothing that was preempted went on")
