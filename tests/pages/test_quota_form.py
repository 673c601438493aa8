"""The form that changes the quota of a queue: its inputs, preview, errors, conflict and apply."""

from __future__ import annotations

import re

import pytest
from django.http import HttpResponse
from django.test import Client

from console.configs.services.apply_config import apply_config
from console.dialects import dialects
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.policies.queries import active_version
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.conftest import settled
from tests.dialects.test_editable_numbers import IN_MAP as YUNIKORN_IN_MAP
from tests.dialects.test_editable_numbers import KUEUE_TEXT
from tests.pages.conftest import CONFIG
from tests.pages.page import Element, complaints, read_page

URL = "/o/here/queues/ml/quota"
CPU = "number/nominalQuota/spot/cpu"
MEMORY = "number/nominalQuota/spot/memory"
LIMIT = "number/borrowingLimit/spot/cpu"
SAME = {CPU: "9", LIMIT: "1500m", MEMORY: "36Gi"}


@pytest.fixture
def kueue(owner: Actor) -> None:
    """Apply a Kueue config."""
    apply_config(owner, "kueue", KUEUE_TEXT, "", 0)


def send(browser: Client, do: str, version: int = 1, **numbers: str) -> HttpResponse:
    """Send the form with other values of some numbers: cpu, memory, limit."""
    names = {"cpu": CPU, "memory": MEMORY, "limit": LIMIT}
    values = SAME | {names[name]: value for name, value in numbers.items()}
    form = {"expected_version": version, "message": "More", "do": do}
    return browser.post(URL, form | values)


def inputs(page: Element) -> dict[str, str]:
    """Return the values of the numbers by the name of their input; not those to be added."""
    return {
        each.attrs["name"]: each.attrs["value"]
        for each in page.all("input")
        if each.attrs.get("name", "").startswith("number/")
        and (each.attrs["value"] or each.attrs["name"] in SAME)
    }


def texts(org: Organization) -> tuple[int, str]:
    version = active_version(org)
    assert version is not None
    return version.number, version.text


def test_the_form_has_the_numbers_of_the_text(browser: Client, kueue: None) -> None:
    page = read_page(browser.get(URL))
    assert inputs(page) == SAME
    assert page.id("quota-numbers").all("details") == []
    assert "Change a number to see the effect." in page.id("quota-preview").text


def test_the_page_of_a_queue_leads_to_the_form(browser: Client, kueue: None) -> None:
    page = read_page(browser.get("/o/here/queues/ml"))
    (link,) = page.id("change-quota").all("a")
    assert (link.text, link.attrs["href"]) == ("Change quota", URL)


def test_an_address_puts_the_focus_on_a_number(browser: Client, kueue: None) -> None:
    form = read_page(browser.get(URL, {"flavor": "spot", "resource": "memory"}))
    (focused,) = [each for each in form.all("input") if "autofocus" in each.attrs]
    assert focused.attrs["name"] == "number/nominalQuota/spot/memory"
    assert inputs(form) == SAME


def test_a_preview_shows_the_difference_and_applies_nothing(
    browser: Client, org: Organization, kueue: None
) -> None:
    page = read_page(send(browser, "preview", cpu="12"))
    preview = page.id("quota-preview")
    changed = [
        row.all("td")[3].text
        for row in preview.all("tr")
        if row.attrs.get("data-change") in ("add", "remove", "added", "removed")
    ]
    # The pages set spaces around the words that differ.
    assert [text.strip() for text in changed] == [
        '- {name: cpu, nominalQuota: " 9 ", borrowingLimit: 1500m}',
        '- {name: cpu, nominalQuota: " 12 ", borrowingLimit: 1500m}',
    ]
    assert "Nothing here needs your confirmation." in preview.text
    assert inputs(page) == SAME | {CPU: "12"}
    assert texts(org) == (1, KUEUE_TEXT)


def test_limits_without_effect_are_folded(browser: Client, owner: Actor) -> None:
    alone = "\n".join(line for line in KUEUE_TEXT.splitlines() if "cohort: all" not in line)
    alone = alone.replace(", borrowingLimit: 1500m", "")
    apply_config(owner, "kueue", alone, "", 0)
    page = read_page(browser.get(URL))
    assert complaints(page) == []
    (fold,) = page.id("quota-numbers").all("details")
    assert "open" not in fold.attrs
    assert fold.all("summary")[0].text == "Limits for borrowing and lending"
    folded = [each.attrs["name"] for each in fold.all("input")]
    assert LIMIT in folded
    assert not {CPU, MEMORY} & set(folded)
    names = [each.attrs["name"] for each in page.id("quota-numbers").all("input")]
    assert len(names) == len(set(names))
    typed = {CPU: "9", MEMORY: "36Gi", LIMIT: "1", "expected_version": 1, "do": "preview"}
    (fold,) = read_page(browser.post(URL, typed)).id("quota-numbers").all("details")
    assert LIMIT not in [each.attrs["name"] for each in fold.all("input")]


def test_an_apply_leads_to_the_queue(browser: Client, org: Organization, kueue: None) -> None:
    response = send(browser, "apply", cpu="12")
    assert (response.status_code, response["Location"]) == (302, "/o/here/queues/ml")
    assert texts(org) == (2, KUEUE_TEXT.replace('"9"', '"12"'))
    assert "Version 2 is active." in read_page(browser.get("/o/here/queues/ml")).text


def test_a_number_that_the_text_lacks_is_added(
    browser: Client, org: Organization, kueue: None
) -> None:
    page = read_page(browser.get(URL))
    names = [each.attrs["name"] for each in page.all("input") if each.attrs.get("value") == ""]
    lending = "number/lendingLimit/spot/cpu"
    assert names[:1] == [lending]
    assert set(names) >= {lending, "number/borrowingLimit/spot/memory"}
    form = SAME | {lending: "2", "expected_version": 1, "message": "", "do": "apply"}
    assert browser.post(URL, form).status_code == 302
    added = KUEUE_TEXT.replace("borrowingLimit: 1500m", "borrowingLimit: 1500m, lendingLimit: 2")
    assert texts(org) == (2, added)


def test_the_quota_of_a_cohort_is_changed_from_its_page(
    browser: Client, org: Organization, kueue: None
) -> None:
    url = "/o/here/cohorts/all/quota"
    (link,) = read_page(browser.get("/o/here/cohorts/all")).id("change-quota").all("a")
    assert link.attrs["href"] == url
    page = read_page(browser.get(url))
    assert inputs(page) == {CPU: "4", LIMIT: ""}
    assert [each.text for each in page.all("p", class_="crumbs")] == ["Cohorts / all"]
    form = {"expected_version": 1, CPU: "5", "message": "More", "do": "apply"}
    response = browser.post(url, form)
    assert (response.status_code, response["Location"]) == (302, "/o/here/cohorts/all")
    assert texts(org) == (2, KUEUE_TEXT.replace("nominalQuota: 4", "nominalQuota: 5"))
    assert browser.get("/o/here/cohorts/nothing/quota").status_code == 404


def test_errors_are_at_their_fields(browser: Client, org: Organization, kueue: None) -> None:
    response = send(browser, "apply", cpu="many", memory="")
    page = read_page(response)
    assert response.status_code == 422
    wrong = [each for each in page.all("input") if each.attrs.get("aria-invalid") == "true"]
    assert [each.attrs["name"] for each in wrong] == [CPU, MEMORY]
    assert page.id(wrong[1].attrs["aria-describedby"]).text == "Enter a number."
    assert inputs(page) == SAME | {CPU: "many", MEMORY: ""}
    assert send(browser, "preview", cpu="many").status_code == 200
    assert texts(org) == (1, KUEUE_TEXT)


def test_a_version_in_between_keeps_what_was_typed(
    browser: Client, org: Organization, owner: Actor, kueue: None
) -> None:
    other = KUEUE_TEXT.replace("36Gi", "40Gi")
    apply_config(owner, "kueue", other, "", 1)
    response = send(browser, "apply", cpu="12")
    page = read_page(response)
    assert response.status_code == 409
    assert "Version 2 was applied after you opened this form." in page.text
    # The number of the other version is not taken back.
    assert inputs(page) == SAME | {CPU: "12", MEMORY: "40Gi"}
    assert page.all("input", name="expected_version")[0].attrs["value"] == "2"
    assert texts(org) == (2, other)


def test_nothing_is_applied_without_a_change(
    browser: Client, org: Organization, kueue: None
) -> None:
    response = send(browser, "apply")
    assert response.status_code == 422
    assert "no number is different" in read_page(response).text
    assert texts(org)[0] == 1


def test_consequences_are_ticked_before_an_apply(
    browser: Client, org: Organization, kueue: None
) -> None:
    response = send(browser, "apply", cpu="0", limit="0")
    page = read_page(response)
    assert response.status_code == 422
    assert "Nothing applied yet" in page.text
    assert texts(org)[0] == 1
    (warning,) = page.id("quota-preview").all("li", **{"data-severity": "warning"})
    assert "The queue owns no cpu in flavor spot and may borrow none" in warning.text
    assert [link.attrs["href"] for link in warning.all("a")] == ["/docs/diagnostics/#KUE056"]
    codes = [each.attrs["value"] for each in page.all("input", name="accept")]
    form = SAME | {CPU: "0", LIMIT: "0", "expected_version": 1, "do": "apply", "accept": codes}
    assert browser.post(URL, form | {"typed": "2"}).status_code == 302
    assert texts(org)[0] == 2


def test_a_fixed_queue_gets_a_successor(browser: Client, org: Organization, owner: Actor) -> None:
    apply_config(owner, "native", CONFIG, "", 0)
    url = "/o/here/queues/research/quota"
    number = "number/nominal_quota/spot/gpu"
    form = {"expected_version": 1, number: "16"}
    page = read_page(browser.post(url, form | {"do": "preview"}))
    assert "Queue research:v2 takes its place" in page.id("quota-preview").text
    response = browser.post(url, form | {"do": "apply"})
    assert response["Location"] == "/o/here/queues/research:v2"
    text = CONFIG.replace("nominal_quota: 8", "nominal_quota: 16")
    for place in ("name: research\n", "resource_queue: research\n"):
        text = text.replace(place, place.replace("research", "research:v2"))
    assert texts(org) == (2, text)


def test_the_preview_shows_what_would_start_and_what_limits_then(
    browser: Client, org: Organization, owner: Actor
) -> None:
    text = CONFIG.replace("[gpu]", "[gpu, cpu]").replace(
        "resources: [{ name: gpu, nominal_quota: 8 }]",
        "resources: [{ name: gpu, nominal_quota: 8 }, { name: cpu, nominal_quota: 40 }]",
    )
    apply_config(owner, "native", text, "", 0)
    items = [
        {"name": f"w{i}", "tags": {"team": "research"}, "requests": {"gpu": 8, "cpu": 16}}
        for i in range(4)
    ]
    submit_workloads(owner, read_submissions(items))
    settled(org)
    form = {"expected_version": 1, "do": "preview", "number/nominal_quota/spot/gpu": "24"}
    preview = read_page(browser.post("/o/here/queues/research/quota", form)).id("quota-preview")
    (row,) = preview.all("tbody")[0].all("tr")
    assert [cell.text for cell in (*row.all("td"), *row.all("th"))] == [
        "2",
        "w1 , w2",
        "Pending workloads that would start at once",
    ]
    assert "8 GPUs would stay idle: 8 of 40 CPUs are left (8 more requested)." in preview.text
    assert active_version(org).number == 1  # type: ignore[union-attr]


def test_a_queue_without_numbers_has_a_way_to_the_editor(browser: Client, owner: Actor) -> None:
    apply_config(owner, "native", CONFIG, "", 0)
    page = read_page(browser.get("/o/here/queues/default/quota"))
    assert "states no number of queue default" in page.text
    assert "/o/here/config/edit" in [link.attrs["href"] for link in page.all("a")]
    assert "Change quota" not in read_page(browser.get("/o/here/queues/default")).text


def test_an_unknown_queue_is_not_found(browser: Client, kueue: None) -> None:
    assert browser.get("/o/here/queues/nothing/quota").status_code == 404


@pytest.mark.parametrize(
    ("language", "text", "queue", "number", "old", "new"),
    [
        (
            "kai",
            dialects()["kai"].samples()["A burst queue beside a guaranteed one"],
            "production",
            "number/quota//gpu",
            "gpu: {quota: 4,",
            "gpu: {quota: 8,",
        ),
        (
            "yunikorn",
            YUNIKORN_IN_MAP,
            "root.ads",
            "number/max//vcore",
            "max: {vcore: 10} # cores",
            "max: {vcore: 20} # cores",
        ),
    ],
)
def test_other_languages_have_the_form_too(
    browser: Client,
    org: Organization,
    owner: Actor,
    language: str,
    text: str,
    queue: str,
    number: str,
    old: str,
    new: str,
) -> None:
    apply_config(owner, language, text, "", 0)
    url = f"/o/here/queues/{queue}/quota"
    page = read_page(browser.get(url))
    assert "Flavor" not in page.id("quota-numbers").text
    value = re.findall(r"\d+", new)[0]
    assert inputs(page)[number] == re.findall(r"\d+", old)[0]
    form = {"expected_version": 1, "do": "apply", number: value}
    assert "Change quota" in read_page(browser.get(f"/o/here/queues/{queue}")).text
    assert browser.post(url, form)["Location"] == f"/o/here/queues/{queue}"
    assert texts(org) == (2, text.replace(old, new))
