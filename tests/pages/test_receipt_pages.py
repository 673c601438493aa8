"""Pages about preemptions: receipts from both sides, timelines, and copied Markdown."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from console.configs.services.apply_config import apply_config
from console.orgs.permissions import Actor
from console.workloads.markdown import escaped
from console.workloads.models import Decision, Workload
from console.workloads.services.end_workloads import release_workloads
from tests.pages.page import Element, complaints, read_page
from tests.preemption_pair import CONFIG, Settle, preempt_for, submit

LIST = "/o/here/workloads"
HIDDEN = "another workload of queue research"

ClientFor = Callable[[Actor], Client]


@pytest.fixture
def stop(
    owner: Actor, submitter: Actor, operator: Actor, settle: Settle
) -> tuple[Workload, Workload, Decision]:
    """Preempt a submitter's workload for an operator's workload."""
    return preempt_for(owner, submitter, operator, settle)


def facts(page: Element) -> dict[str, str]:
    """Return the labels and values on a page."""
    terms, values = page.id("facts").all("dt"), page.id("facts").all("dd")
    return {term.text: value.text for term, value in zip(terms, values, strict=True)}


def test_a_receipt_reads_the_same_from_both_sides(
    stop: tuple[Workload, Workload, Decision], owner: Actor, client_for: ClientFor
) -> None:
    old, new, told = stop
    browser = client_for(owner)
    page = read_page(browser.get(f"{LIST}/{old.uid}/preemptions/{told.pk}"))
    assert page.id("sides").rows() == [
        ["Preempted", "batch", "research", "10", "6 GPUs"],
        ["Beneficiary", "urgent", "research", "90", "4 GPUs"],
    ]
    assert facts(page) == {
        "Frees": "6 GPUs on spot",
        "Released": "Not yet: the workload is stopping and still uses its quota.",
        "Preemptions": "First preemption of this workload.",
    }
    assert page.id("policy").all("a", href="/o/here/config/v/1#L6")
    assert "batch (priority 10) is preempted" in page.id("looked-at").text
    other = read_page(browser.get(f"{LIST}/{new.uid}/preemptions/{told.pk}"))
    assert other.id("sides").rows() == page.id("sides").rows()
    assert complaints(page) == []


def test_a_receipt_says_when_the_quota_was_given_back(
    stop: tuple[Workload, Workload, Decision], owner: Actor, client_for: ClientFor, settle: Settle
) -> None:
    old, _, told = stop
    release_workloads(owner, [old.uid])
    settle(owner.org)
    page = read_page(client_for(owner).get(f"{LIST}/{old.uid}/preemptions/{told.pk}"))
    assert facts(page)["Released"].endswith("batch stopped and released its quota.")


@pytest.mark.parametrize(
    "path",
    ["{old}", "{old}?as=markdown", "{old}?trace=json", "{old}?tab=timeline", "{old}?tab=spec",
     "{old}/preemptions/{told}", "{old}/preemptions/{told}?as=markdown", "{old}/decisions/{told}",
     "{old}/decisions/{told}?trace=json", "{old}/compare", "?q=batch", "{old}/changes"],
)  # fmt: skip
def test_a_submitter_is_not_told_who_took_the_room(
    stop: tuple[Workload, Workload, Decision],
    submitter: Actor, owner: Actor, client_for: ClientFor, path: str,
) -> None:  # fmt: skip
    old, new, told = stop
    url = f"{LIST}/{path}".replace("/?", "?").format(old=old.uid, told=told.pk)
    text = client_for(submitter).get(url).content.decode()
    # The list of all workloads names it, but not as the reason of this preemption.
    assert "urgent" not in text
    assert new.uid not in text
    if path not in ("{old}/compare", "{old}/changes", "{old}?trace=json"):
        assert "urgent" in client_for(owner).get(url).content.decode()


def test_the_timeline_has_phases_versions_and_receipts(
    stop: tuple[Workload, Workload, Decision], owner: Actor, client_for: ClientFor, settle: Settle
) -> None:
    old, _, told = stop
    apply_config(owner, "native", CONFIG + "#\n", "The second one", 1)
    release_workloads(owner, [old.uid])
    settle(owner.org)
    page = read_page(client_for(owner).get(f"{LIST}/{old.uid}?tab=timeline"))
    rows = [[row[0], row[4]] for row in page.id("phases").rows()]
    assert rows[:3] == [
        ["Waiting: Not evaluated yet", "—"],
        ["Running", "v1"],
        ["Stopping: Preempted", "v1"],
    ]
    assert rows[-1] == ["Waiting: Waiting for quota", "v2"]
    bars = page.id("phases").all("rect", class_="phase")
    assert [bar.attrs["data-look"] for bar in bars][1:3] == ["running", "stopping"]
    assert page.id("phases").all("a", href="/o/here/config/v/2")
    receipt = f"{LIST}/{old.uid}/preemptions/{told.pk}"
    assert page.id("preemptions").all("a", href=receipt)
    assert "Preempted by urgent" in page.id("preemptions").text
    assert complaints(page) == []


def test_user_input_stays_text_in_markdown(
    stop: tuple[Workload, Workload, Decision], owner: Actor, client_for: ClientFor, settle: Settle
) -> None:
    name = "[x](http://a.example) <img src=y> @all `z`\n# w"
    late = submit(owner, settle, name, 3, priority=20)
    answer = client_for(owner).get(f"{LIST}/{late.uid}?as=markdown")
    assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"
    first = answer.content.decode().splitlines()[0]
    shown = r"\[x\](http:\//a.example) \<img src=y\> \@all \`z\` \# w"
    assert first.startswith(f"**{shown} ({late.uid})**: Starting soon")
    assert escaped("1) a | b\u202e") == r"1\) a \| b"


def test_two_decisions_of_one_workload_stand_side_by_side(
    stop: tuple[Workload, Workload, Decision], owner: Actor, client_for: ClientFor
) -> None:
    old, new, told = stop
    first = Decision.objects.get(workload=old, outcome="admitted")
    browser = client_for(owner)
    url = f"{LIST}/{old.uid}/compare?decision={first.pk}&other={told.pk}"
    page = read_page(browser.get(url))
    text = page.id("compared").text
    assert "Admitted in research on spot: its request fits the free quota." in text
    assert "Preempted: urgent with priority 90 needs its quota" in text
    assert browser.get(f"{LIST}/{new.uid}/compare?other={told.pk}").status_code == 404
    assert browser.get(f"{LIST}/{old.uid}/compare?decision=x").status_code == 400
    assert complaints(page) == []


def test_a_pending_workload_is_compared_with_the_most_similar_admitted_one(
    stop: tuple[Workload, Workload, Decision], owner: Actor, client_for: ClientFor, settle: Settle
) -> None:
    late = submit(owner, settle, "late", 6, priority=5)
    page = read_page(client_for(owner).get(f"{LIST}/{late.uid}/compare"))
    told = {row[0]: row[1:] for row in page.id("compared").rows()}
    assert told["Effective Priority"] == ["5", "10"]
    assert told["GPU on spot Flavors"] == [
        (
            "6 GPUs of 2 available (6 used, 8 nominal), 4 short: not enough quota, and no "
            "workload may be preempted"
        ),
        "6 GPUs of 8 available (0 used, 8 nominal): fits",
    ]
    assert page.id("choices").all("a")[0].text == "batch"
    text = client_for(owner).get(f"{LIST}/{late.uid}/compare?as=markdown").content.decode()
    assert "| Priority | Effective | 5 | 10 |" in text
