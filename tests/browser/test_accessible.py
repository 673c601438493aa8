"""Accessibility: names of maximum length on a narrow screen, and the chosen theme."""

from __future__ import annotations

import pytest

from tests.browser.axe import Looks
from tests.browser.conftest import Visitors
from tests.browser.documents import CAP, a100, m5
from tests.browser.place import Place
from tests.browser.rules import broken, hold_still, settle, unfold

_CONFIG = CAP.replace("default: 50", "default: 60")

#: A rule test that shows every element of its page.
_TESTED = (
    f"key=instance-type&value=m5.2xlarge&key={'k' * 60}&value=v&config=2&beside=1&priority=7"
    "&requests=cpu%3D99"
)


@pytest.fixture
def busy(place: Place) -> list[str]:
    """Paths of all pages of an organization with a little of everything."""
    place.apply(CAP, "The first")
    long = "a-name-that-goes-on-" * 9
    ids = place.submit(
        m5("waits-or-runs"),
        *(m5(f"m5-{i}") for i in range(4)),
        m5(long[:180], user="u" * 60),
        m5("too-large", requests={"cpu": 99, "memory_gb": 1}),
        a100("passes", 8, project="p" * 60),
    )
    place.api.post(f"/workloads/{ids[0]}/finish", {})
    hold = {"reason": "Moving racks"}
    place.api.post("/queues/q-m5-2xlarge-cap3/hold", hold, expect=200)
    # The address has no server, so that a failure is shown.
    hook = {"name": "n" * 90, "url": f"https://127.0.0.1:9/{'p' * 90}", "kinds": ["config.applied"]}
    number = place.api.post("/webhooks", hook, expect=201)["id"]
    sent = place.api.post(f"/webhooks/{number}/test", {})["id"]
    place.apply(_CONFIG, "A higher default for everybody who does not ask")
    return [
        "",
        "attention",
        "queues",
        "queues/q-m5-2xlarge-cap3",
        "queues?sort=age&group=cohort",
        "queues?group=tree",
        "queues?compare=q-m5-2xlarge-cap3&compare=default",
        "queues/q-m5-2xlarge-cap3?tab=running",
        "queues/q-m5-2xlarge-cap3?tab=rules",
        "queues/q-m5-2xlarge-cap3?tab=history",
        "queues/q-m5-2xlarge-cap3?hold=1",
        f"workloads/{ids[4]}/trace",
        "queues/default",
        "queues/q-m5-2xlarge-cap3/usage?range=1h&table=use",
        "usage?table=workloads",
        "shares",
        "users",
        "placement-rules",
        "cohorts",
        "workloads",
        "workloads?state=finished&q=nobody",
        "workloads/new",
        *(f"workloads/{uid}" for uid in (ids[0], ids[4], ids[6], ids[7])),
        "config",
        "config/edit",
        "config/drafts",
        "config/reviews",
        "settings/organization",
        "settings/approval",
        "config/codes",
        "config/history",
        "config/v/1",
        "config/review?to=1",
        "config/impact?to=1",
        "config/history?noun=queue&name=default",
        "config/v/2?blame=1",
        "config/compare/1...2",
        "config/compare/1...2?diff=text",
        "config/compare/1...2?diff=split",
        "config/compare/1...2?diff=effective",
        "tools/route",
        f"tools/route?{_TESTED}",
        "tools/route?config=active&key=&priority=high",
        "tools/route/many",
        "tools/expectations",
        "tools/expectations/new?key=a&value=1&queue=default",
        "events?type=CONFIG_UPDATED&type=REQUEST_QUEUED",
        "events",
        "events/audit",
        "settings/notifications",
        "settings/webhooks",
        "settings/webhooks/new",
        f"settings/webhooks/{number}",
        f"settings/webhooks/{number}/edit",
        f"settings/webhooks/{number}/deliveries/{sent}",
        "no-such-page",
    ]


def test_long_names_fit_into_a_narrow_screen(
    visitors: Visitors, place: Place, busy: list[str]
) -> None:
    page = visitors.page(place, width=320)
    hold_still(page)
    found = {}
    looks = Looks.of_this_run()
    for path in busy:
        page.goto(place.url(path))
        settle(page)
        unfold(page)
        found[path] = broken(page, "structure", "width", "targets", "colors", looks=looks)
    assert {path: complaints for path, complaints in found.items() if complaints} == {}


def test_chosen_theme_overrides_the_system_theme(visitors: Visitors, place: Place) -> None:
    page = visitors.page(place, scheme="light")
    page.goto(place.url())
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.locator("summary", has=page.get_by_role("img", name="Theme")).click()
    page.get_by_role("button", name="Dark").click()
    page.wait_for_url(place.url())
    assert page.evaluate(ground) != light
    assert broken(page, "colors") == []
