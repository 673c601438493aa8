"""Pages and API with the toy dialect; `tests/dialects/test_plugged_in.py` runs this file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from django.test import Client
from django.utils import timezone

from console.configs.services.apply_config import apply_config
from console.configs.services.begin_draft import begin_draft
from console.configs.services.consequences import find_consequences
from console.configs.services.find_impact import find_impact
from console.configs.services.run_impact import run_impact
from console.dialects import dialects
from console.dialects.objects import compare_policies
from console.orgs.permissions import Actor
from console.series.services.sample_org import sample_org
from console.workloads.models import Workload
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.conftest import settled
from tests.pages.page import complaints, read_page

_TEXT: Final = next(iter(dialects()["fifo"].samples().values()))
_LOWER: Final = _TEXT.replace("cpu: 8", "cpu: 4")

#: Addresses below the organization; all of them answer successfully.
_PAGES: Final = (
    *("", "attention", "search?q=batch", "queues", "queues?sort=age&state=accepting"),
    *("queues?compare=batch&compare=training", "queues/batch", "queues/batch?tab=running"),
    *("queues/batch?tab=rules", "queues/batch?tab=history", "queues/batch?hold=1", "usage"),
    *("usage?by=queue", "usage?by=label.team"),
    *("queues/batch/usage", "queues/batch/usage?range=1h&table=use", "queues/batch/bars"),
    *("workloads", "workloads?reason=limit_reached", "workloads?group_by=reason", "workloads/new"),
    *("workloads?group_by=flavor&queue=batch", "workloads/explain?reason=limit_reached"),
    *("workloads/explain?reason=exceeds_limit", "workloads/explain?reason=behind_others"),
    *(f"workloads/{{{each}}}" for each in ("running", "waiting", "behind", "rejected", "done")),
    *(f"workloads/{{waiting}}{each}" for each in ("?tab=timeline", "?tab=spec", "?trace=json")),
    *(f"workloads/{{waiting}}/{each}" for each in ("changes", "compare", "trace")),
    *("workloads/{rejected}/compare", "config", "config/codes", "config/history"),
    *("config/drafts/{draft}", "config/review?draft={draft}", "config/impact/{impact}?to=1"),
    *("config/history?noun=queue&name=batch", "config/v/1", "config/v/1?blame=1"),
    *("config/v/2?diff=meaning", "config/v/2?diff=split", "config/compare/1...2"),
    *("config/compare/1...2?diff=effective", "config/review?to=1", "tools/route"),
    "tools/route?config=active&key=line&value=batch&requests=cpu%3D8",
    "tools/route?config=1&beside=active&key=line&value=training&requests=gpu%3D9",
    *("tools/route/many", "tools/expectations", "tools/expectations/new", "events"),
)
_API: Final = (
    *("queues", "queues/batch", "queues/batch/pending", "usage?step=minute", "overview", "events"),
    *("workloads", *(f"workloads/{{{each}}}" for each in ("running", "waiting", "rejected"))),
    *(f"workloads/{{{each}}}/explanation" for each in ("running", "waiting", "rejected")),
    *("config", "config/versions", "config/versions/2", "config/versions/2/diff", "decisions"),
    *("config/schema?dialect=fifo", "config/impact/{impact}"),
)


@pytest.fixture
def names(owner: Actor) -> dict[str, object]:
    """Fill the organization and return the values for placeholders in addresses."""
    apply_config(owner, "fifo", _TEXT, "The first", 0)
    settled(owner.org)
    cpus = {"running": 6, "waiting": 4, "behind": 1, "rejected": 9, "done": 1}
    found: dict[str, object] = {}
    for name, cpu in cpus.items():
        line = "training" if name == "done" else "batch"
        value = {"name": name, "requests": {"cpu": cpu}, "tags": {"line": line}}
        (made,) = submit_workloads(owner, read_submissions([value]))
        settled(owner.org)
        found[name] = made.uid
    finish_workloads(owner, [str(found["done"])])
    settled(owner.org)
    apply_config(owner, "fifo", _LOWER, "Lower", 1)
    settled(owner.org)
    sample_org(owner.org.pk, timezone.now())
    run = find_impact(owner, "fifo", _TEXT)
    run_impact(run.pk)
    return {**found, "impact": run.pk, "draft": begin_draft(owner, "fifo", _TEXT, 2).pk}


def test_every_workload_has_its_reason(names: dict[str, object], owner: Actor) -> None:
    rows = Workload.objects.filter(org=owner.org).order_by("pk")
    assert list(rows.values_list("name", "state", "reason")) == [
        ("running", "admitted", "within_limit"),
        ("waiting", "pending", "limit_reached"),
        ("behind", "pending", "behind_others"),
        ("rejected", "rejected", "exceeds_limit"),
        ("done", "finished", "within_limit"),
    ]


@pytest.mark.parametrize("path", _PAGES)
def test_every_page_answers(
    path: str, names: dict[str, object], owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    response = client_for(owner).get(f"/o/{owner.org.slug}/{path.format(**names)}")
    assert response.status_code == 200, response.content.decode()
    assert complaints(read_page(response)) == []


def test_a_lower_limit_is_accepted_by_name(names: dict[str, object], owner: Actor) -> None:
    found = find_consequences(owner, "fifo", _TEXT.replace("cpu: 8", "cpu: 2"))
    told = {each.code: each.message for each in found}
    assert told.keys() == {"over_nominal", "pending_rejected"}
    assert told["over_nominal"] == (
        "batch uses 6 CPUs on slots and may use at most 2 CPUs: 4 CPUs over, until at least 1 "
        "running workload has ended. A config change does not stop running workloads; no further "
        "workload starts above the limit."
    )


def test_another_language_is_compared_by_the_objects_of_both() -> None:
    native, fifo = dialects()["native"], dialects()["fifo"]
    (old, new) = (
        language.read(next(iter(language.samples().values())), {}).policy
        for language in (native, fifo)
    )
    assert old is not None
    assert new is not None
    changes = [(each.kind, each.noun, each.name) for each in compare_policies(old, new)]
    assert changes == [
        ("added", "queue", "batch"),
        ("added", "queue", "training"),
        ("removed", "queue", "q-m5-2xlarge-cap3"),
        ("removed", "queue", "default"),
        ("removed", "flavor", "m5-2xlarge"),
        ("removed", "rule", "0 to q-m5-2xlarge-cap3"),
        ("removed", "rule", "1 to default"),
        ("changed", "settings", "of admission"),
    ]
    first = [(each.noun, each.name) for each in compare_policies(native.empty_policy, new)]
    assert first == [("queue", "batch"), ("queue", "training")]


def test_pages_do_not_speak_of_rules_that_a_strategy_does_not_have(
    names: dict[str, object], owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    browser = client_for(owner)
    queue = read_page(browser.get(f"/o/{owner.org.slug}/queues/batch?tab=rules"))
    assert "The active config routes workloads without rules." in queue.text
    tested = read_page(browser.get(f"/o/{owner.org.slug}/tools/route?config=active&key=a&value=b"))
    assert "This config has no rules" not in tested.text
    assert "Absent labels" in tested.text


def test_the_page_of_a_version_counts_in_the_words_of_its_language(
    names: dict[str, object], owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    page = read_page(client_for(owner).get(f"/o/{owner.org.slug}/config/v/1"))
    assert "2 lines" in page.text
    assert "flavor" not in page.text


@pytest.mark.parametrize("path", _API)
def test_every_address_of_the_api_answers(
    path: str, names: dict[str, object], owner: Actor, api_for: Callable[[Actor], Client]
) -> None:
    response = api_for(owner).get(f"/api/v1/orgs/{owner.org.slug}/{path.format(**names)}")
    assert response.status_code == 200, response.content.decode()
