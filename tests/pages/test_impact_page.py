"""The impact page of a draft: tiles, shapes, live workloads and unfinished runs."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

from console.capacity.services.report_cluster import report_cluster
from console.configs.models import Draft, ImpactRun
from console.configs.services import find_impact as find_module
from console.configs.services.apply_config import apply_config
from console.configs.services.begin_draft import begin_draft
from console.configs.services.run_impact import run_impact
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.pages.presenters.impact import recorded as presenter
from console.pages.presenters.lists import list_pages
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.pages.conftest import CONFIG, World
from tests.pages.page import Element, complaints, read_page

ASK = "/o/here/config/impact"
#: Routes team research to default, and also workloads without a team that have a stage.
ROUTED_TO_DEFAULT = CONFIG.replace(
    "    resource_queue: research\n", "    resource_queue: default\n"
).replace("    priority_policy: { default: 50, min: 0, max: 100, on_violation: reject }\n", "") + (
    "  - selector: [{ key: stage, operator: exists }]\n    resource_queue: default\n"
)


@pytest.fixture
def draft(world: World, owner: Actor) -> Draft:
    """Return a draft without impact runs."""
    ImpactRun.objects.all().delete()
    return begin_draft(owner, "native", ROUTED_TO_DEFAULT, 1)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_module, "SMALL_LIVE", -1)


def start_run(browser: Client, query: str, url: str = ASK) -> tuple[Element, str]:
    """Start an impact run, and return the page of the redirect and its address."""
    answer = browser.get(f"{url}?{query}")
    assert answer.status_code == 302
    url = answer.headers["Location"]
    page = read_page(browser.get(url))
    assert complaints(page) == []
    return page, url


def tiles(page: Element) -> dict[str, str]:
    return {
        tile.attrs["data-outcome"]: tile.all("span", class_="tile__number")[0].text
        for tile in page.all("a", class_="tile")
    }


def table(page: Element, caption: str) -> list[list[str]]:
    """Return the rows of a table."""
    return next(each.rows() for each in page.all("table") if each.all("caption")[0].text == caption)


def test_impact_is_shown_by_outcome_and_shape(browser: Client, draft: Draft) -> None:
    page, url = start_run(browser, f"draft={draft.pk}")
    assert url == f"{ASK}/{ImpactRun.objects.get().pk}?draft={draft.pk}"
    assert page.all("h1")[0].text == f"Impact of draft {draft.pk}"
    assert "Last 30 days · 6 workloads · 6 distinct shapes · complete" in page.text
    assert tiles(page) == {
        "unchanged": "1",
        "moved": "3",
        "rejected": "0",
        "never_fits": "0",
        "accepted": "1",
        "cannot_tell": "1",
    }
    doubt = "No recorded workload has the label stage. Used by rule 3 (L18–L19)."
    assert doubt in page.text
    rows = table(page, "All changes, most workloads first")
    assert [row[2:] for row in rows if row[0].endswith("1 GPU")] == [
        [
            "Routed elsewhere",
            "research → then default",
            "1 v1 L14–L16 → then 1 L14–L15",
            "50 → then 0",
            "fits → then starts without quota",
        ]
    ]
    lost = next(row for row in rows if row[2].startswith("Undecided"))
    assert lost[2] == "Undecided depends on the label stage"


def test_a_tile_shows_its_shapes_and_nothing_else(browser: Client, draft: Draft) -> None:
    page, _ = start_run(browser, f"draft={draft.pk}")
    tile = next(each for each in page.all("a") if each.attrs.get("data-outcome") == "unchanged")
    chosen = read_page(browser.get(tile.attrs["href"].partition("#")[0]))
    rows = table(chosen, "Unchanged, most workloads first")
    assert [row[2] for row in rows] == ["Unchanged"]
    current = [each for each in chosen.all("a", class_="tile") if "aria-current" in each.attrs]
    assert [each.attrs["data-outcome"] for each in current] == ["unchanged"]
    none = read_page(browser.get(tile.attrs["href"].replace("unchanged", "rejected")))
    assert "No recorded workloads in this group." in none.text


def test_live_work_is_listed_with_links(browser: Client, draft: Draft, world: World) -> None:
    page, _ = start_run(browser, f"draft={draft.pk}")
    starts = page.id("live-starts")
    assert starts.all("summary")[0].text == "Pending workloads that would start at once: 2"
    assert starts.all("table")[0].rows() == [
        ["eval", "research → to default", "Admitted without quota"],
        ["huge", "research → to default", "Admitted without quota"],
    ]
    assert starts.all("a")[0].attrs["href"] == f"/o/here/workloads/{world.waiting.uid}"


def test_each_list_of_live_work_has_pages_of_its_own(
    browser: Client, draft: Draft, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_pages, "PAGE_SIZE", 1)
    page, url = start_run(browser, f"draft={draft.pk}")
    starts = page.id("live-starts")
    assert [row[0] for row in starts.all("table")[0].rows()] == ["eval"]
    assert starts.all("nav")[0].text.endswith("1 to 1 of 2")
    assert "open" not in starts.attrs
    (onward,) = starts.all("a", rel="next")
    assert onward.attrs["href"] == f"{url}&open=starts&after=1#live-starts"
    page = read_page(browser.get(onward.attrs["href"].partition("#")[0]))
    starts = page.id("live-starts")
    assert [row[0] for row in starts.all("table")[0].rows()] == ["huge"]
    assert ("open" in starts.attrs, starts.all("a", rel="next")) == (True, [])
    assert complaints(page) == []
    for after in ("2", "-1", "x", "9" * 30):
        page = read_page(browser.get(f"{url}&open=starts&after={after}"))
        assert [row[0] for row in page.id("live-starts").all("table")[0].rows()] == ["eval"]


def test_a_list_says_how_many_are_only_counted(browser: Client, draft: Draft) -> None:
    page, url = start_run(browser, f"draft={draft.pk}")
    run = ImpactRun.objects.get()
    assert run.result is not None
    (starts,) = (each for each in run.result["live"]["outcomes"] if each["outcome"] == "starts")
    starts["count"] = 900
    run.save()
    page = read_page(browser.get(url))
    assert page.id("live-starts").all("nav")[0].text == (
        "1 to 2 of 900; the first 2 are listed, the rest only counted"
    )


def test_an_old_version_is_asked_about_by_its_number(browser: Client, world: World) -> None:
    page, url = start_run(browser, "to=1")
    assert url.endswith("?to=1")
    assert page.all("h1")[0].text == "Impact of rolling back to version 1"
    assert "No running or pending workload is affected." in page.text
    assert "No recorded workloads in this group." in page.text


def test_long_tables_have_pages(
    browser: Client, draft: Draft, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presenter, "PAGE_SIZE", 2)
    caption = "All changes, most workloads first"
    page, _ = start_run(browser, f"draft={draft.pk}")
    sizes = [len(table(page, caption))]
    while onward := page.all("a", rel="next"):
        page = read_page(browser.get(onward[0].attrs["href"]))
        sizes.append(len(table(page, caption)))
    assert sizes == [2, 2, 1]


def test_a_shape_leads_to_the_rule_tester_on_both_configs(
    browser: Client, draft: Draft, owner: Actor
) -> None:
    page, url = start_run(browser, f"draft={draft.pk}")
    links = [link for link in page.all("a") if link.text.startswith("Test :")]
    one = next(link for link in links if link.text.endswith(" 1 GPU"))
    assert one.text == "Test : team=research workload-type=job , 1 GPU"
    assert one.attrs["href"] == (
        "/o/here/tools/route?key=team&value=research&key=workload-type&value=job"
        f"&config=draft-{draft.pk}&beside=1&requests=gpu%3D1"
    )
    assert browser.get(one.attrs["href"]).status_code == 200
    Draft.objects.filter(pk=draft.pk).update(text=CONFIG)
    changed = read_page(browser.get(url))
    assert [link for link in changed.all("a") if link.text.startswith("Test :")] == []


def test_shapes_are_sorted_by_what_they_asked_for(browser: Client, draft: Draft) -> None:
    page, url = start_run(browser, f"draft={draft.pk}")
    sorts = {link.text: link.attrs["href"] for link in page.id("main").all("a", class_="segment")}
    assert sorts["By gpu"] == f"{url}&sort=gpu#shapes"
    page = read_page(browser.get(f"{url}&sort=gpu"))
    rows = table(page, "All changes, most gpu requested first")
    amounts = [int(found[1]) for row in rows if (found := re.search(r" (\d+) GPUs?\b", row[1]))]
    assert amounts == sorted(amounts, reverse=True)
    assert (len(amounts), amounts[0] > amounts[-1]) == (5, True)
    strange = read_page(browser.get(f"{url}&sort=strange"))
    assert table(strange, "All changes, most workloads first")


def test_an_empty_history_says_so(browser: Client, org: Organization, owner: Actor) -> None:
    draft = begin_draft(owner, "native", CONFIG, 0)
    page, _ = start_run(browser, f"draft={draft.pk}")
    assert "No recorded history" in page.text
    assert "against no config" in page.text


def test_a_text_with_errors_is_not_asked_about(browser: Client, draft: Draft) -> None:
    Draft.objects.update(text="resource_queues: 3")
    page = read_page(browser.get(f"{ASK}?draft={draft.pk}"))
    assert complaints(page) == []
    assert page.id("errors-title").text == "The text has errors, so its impact cannot be computed"
    assert not ImpactRun.objects.exists()


def test_without_a_draft_the_drafts_are_next(browser: Client, org: Organization) -> None:
    assert browser.get(ASK).headers["Location"] == "/o/here/config/drafts"


def test_a_changed_draft_and_another_active_version_are_told(
    browser: Client, draft: Draft, owner: Actor
) -> None:
    page, url = start_run(browser, f"draft={draft.pk}")
    assert "notice" not in {each.attrs.get("class") for each in page.id("main").walk()}
    apply_config(owner, "native", CONFIG + "#\n", "a comment", 1)
    assert (
        "Version 2 is active now. This compares with version 1." in read_page(browser.get(url)).text
    )
    Draft.objects.update(text=ROUTED_TO_DEFAULT + "#\n")
    assert "The draft has changed." in read_page(browser.get(url)).text
    draft.delete()
    assert read_page(browser.get(url)).all("h1")[0].text == "Impact of a text"


# Runs in a worker


def test_an_open_run_shows_its_progress_and_reloads_itself(
    browser: Client, draft: Draft, large: None
) -> None:
    page, url = start_run(browser, f"draft={draft.pk}")
    assert page.id("progress-title").text == "Waiting for a worker"
    ImpactRun.objects.update(state="running", done=30, total=120)
    page = read_page(browser.get(url))
    assert page.id("impact-progress").attrs["value"] == "25"
    region = page.id("impact")
    assert (region.attrs["hx-get"], region.attrs["hx-trigger"]) == (url, "every 1s")
    # Without scripts a link does the same.
    assert page.id("impact-reload").attrs["href"] == f"?draft={draft.pk}"
    ImpactRun.objects.update(state="waiting")
    run_impact(ImpactRun.objects.get().pk)
    done = read_page(browser.get(url))
    assert "hx-get" not in done.id("impact").attrs
    assert tiles(done)["moved"] == "3"


def test_an_open_run_is_cancelled_and_asked_again(
    browser: Client, draft: Draft, large: None
) -> None:
    page, url = start_run(browser, f"draft={draft.pk}")
    form = page.id("impact").all("form")[0]
    answer = browser.post(form.attrs["action"])
    assert answer.headers["Location"] == url
    page = read_page(browser.get(url))
    assert page.id("unavailable-title").text == "Canceled"
    again = page.id("impact").all("form")[0]
    assert browser.post(again.attrs["action"]).headers["Location"] != url
    assert [run.state for run in ImpactRun.objects.all()] == ["waiting", "cancelled"]


def test_a_failed_run_is_not_shown_as_safe(browser: Client, draft: Draft, large: None) -> None:
    _, url = start_run(browser, f"draft={draft.pk}")
    ImpactRun.objects.update(state="failed", error="The worker is gone.")
    page = read_page(browser.get(url))
    assert page.id("unavailable-title").text == "The impact could not be computed"
    assert "The worker is gone." in page.text
    assert "This does not mean that it is safe to apply" in page.text


def test_a_repeated_request_starts_a_new_run(browser: Client, draft: Draft) -> None:
    page, url = start_run(browser, f"draft={draft.pk}")
    again = page.id("impact").all("form")[0]
    assert again.all("button")[0].text == "Run again"
    assert browser.post(again.attrs["action"]).headers["Location"] != url


def test_members_may_look_and_only_drafters_may_ask(
    browser: Client,
    draft: Draft,
    viewer: Actor,
    outsider: object,
    client_for: Callable[[Actor], Client],
    large: None,
) -> None:
    _, url = start_run(browser, f"draft={draft.pk}")
    run = url.partition("?")[0]
    looking = client_for(viewer)
    page = read_page(looking.get(run))
    assert page.id("progress-title").text == "Waiting for a worker"
    assert page.id("impact").all("form") == []
    assert looking.get(f"{ASK}?draft={draft.pk}").status_code == 403
    assert looking.post(f"{ASK}/again?draft={draft.pk}").status_code == 403
    assert looking.post(f"{run}/cancel").status_code == 403
    stranger = Client()
    stranger.force_login(outsider)  # type: ignore[arg-type]
    assert stranger.get(run).status_code == 404
    assert stranger.post(f"{run}/cancel").status_code == 404
    assert ImpactRun.objects.get().state == "waiting"


def test_names_of_others_need_permission_to_review_both(
    submitter: Actor, editor: Actor, draft: Draft, world: World, client_for: Callable[..., Client]
) -> None:
    _, url = start_run(client_for(editor), f"draft={draft.pk}")
    run = ImpactRun.objects.get()
    assert run.result is not None
    (starts,) = [each for each in run.result["live"]["outcomes"] if each["outcome"] == "starts"]
    # Pretend that the first one was preempted for the second one, which an owner submitted.
    starts["first"][0]["preemptor"] = {"id": world.never.uid, "name": "huge"}
    run.save()

    def why(actor: Actor) -> Element:
        page = read_page(client_for(actor).get(url))
        return page.id("live-starts").all("td", **{"data-label": "why"})[0]

    assert why(editor).text.endswith(" for huge")
    assert why(editor).all("a", href=f"/o/here/workloads/{world.never.uid}")
    assert why(submitter).text.endswith(" for another workload of queue research")
    assert why(submitter).all("a") == []


def test_running_jobs_that_would_not_be_placed_there_again_are_listed(
    browser: Client, owner: Actor, settle: Callable[[Organization], int]
) -> None:
    text = (
        "kind: PlacementTemplate\n"
        "metadata: { name: europe }\n"
        "spec: { filters: [{ name: eu, match_labels: { region: eu } }] }\n"
    )
    apply_config(owner, "skyshift", text, "", 0)
    nodes = [{"name": "n", "allocatable": {"cpu": 4}}]
    report_cluster(owner, "east", {"labels": {"region": "eu"}, "nodes": nodes})
    body = [{"name": "job", "requests": {"cpu": 1}, "placement": {"template": "europe"}}]
    submit_workloads(owner, read_submissions(body))
    settle(owner.org)
    changed = begin_draft(owner, "skyshift", text.replace("region: eu", "region: us"), 1)
    page, _ = start_run(browser, f"draft={changed.pk}")
    lost = page.id("live-loses_flavor")
    assert lost.all("summary")[0].text == "Running workloads on a lost flavor or cluster: 1"
    assert lost.all("table")[0].rows() == [["job", "jobs", "it would not be placed there again"]]
