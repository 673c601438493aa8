"""The form that adds a queue, without scripts."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from console.configs.models import Draft
from console.configs.services.apply_config import apply_config
from console.dialects import dialects
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.policies.queries import active_version
from tests.dialects.test_new_queues import KUEUE, NATIVE, add
from tests.pages.page import complaints, read_page

URL = "/o/here/config/queues/new"
NUMBER = "number/nominal_quota/a100/gpu"


@pytest.fixture
def native(owner: Actor) -> None:
    """Apply a native config with two queues."""
    apply_config(owner, "native", NATIVE, "", 0)


def sent(do: str, name: str = "vision", **more: Any) -> dict[str, Any]:
    return {
        "expected_version": "1",
        "message": "",
        "do": do,
        "name": name,
        "settings.conditions": ["team=vision", ""],
        NUMBER: "8",
        **more,
    }


def expected_text() -> str:
    numbers = {("nominal_quota", "a100", "gpu"): "8"}
    return add("native", NATIVE, "vision", {"conditions": ["team=vision"]}, numbers).text


def active(org: Organization) -> tuple[int, str]:
    version = active_version(org)
    assert version is not None
    return version.number, version.text


def test_the_form_has_the_fields_of_the_language(browser: Client, native: None) -> None:
    page = read_page(browser.get(URL))
    assert complaints(page) == []
    form = page.id("queue-values")
    labels = [label.text for label in form.all("label")]
    assert labels[:6] == [
        "Name",
        "Cohort (optional)",
        "Label condition",
        "Label condition 2",
        "Label condition 3",
        "Position among the rules",
    ]
    assert "Nominal quota of gpu in a100" in labels
    position = page.id("settings.position-1")
    assert [(each.attrs["value"], each.text) for each in position.all("option")] == [
        ("1", "Before rule 1, which routes to train"),
        ("", "Before rule 2, which routes all other workloads to default"),
        ("3", "After all rules"),
    ]
    assert [each.attrs["value"] for each in position.all("option", selected="")] == [""]
    assert [row.all("td")[0].text for row in form.all("tr")[1:]] == [
        "a100 requires gpu in A100",
        "a100",
        "pool requires team in research",
        "pool",
    ]
    assert "in the syntax of the config, for example 64 (gpu) or 512 (cpu)." in form.text
    known = [each.attrs["value"] for each in page.id("settings.conditions-known").all("option")]
    assert known == ["team=train", "gpu=A100", "team=research"]


def test_a_preview_applies_nothing_and_an_apply_adds_the_queue(
    browser: Client, org: Organization, native: None
) -> None:
    page = read_page(browser.post(URL, sent("preview")))
    assert complaints(page) == []
    preview = page.id("queue-preview")
    assert "Nothing here needs your confirmation." in preview.text
    assert "- name: vision" in preview.text
    assert active(org) == (1, NATIVE)
    answer = browser.post(URL, sent("apply"))
    assert (answer.status_code, answer["Location"]) == (302, "/o/here/queues/vision")
    assert active(org) == (2, expected_text())
    assert browser.get(answer["Location"]).status_code == 200


def test_the_text_continues_as_a_draft(browser: Client, org: Organization, native: None) -> None:
    answer = browser.post(URL, sent("draft"))
    draft = Draft.objects.get(org=org)
    assert (answer.status_code, answer["Location"]) == (302, f"/o/here/config/drafts/{draft.pk}")
    assert (draft.title, draft.base, draft.text) == ("New queue vision", 1, expected_text())
    assert active(org) == (1, NATIVE)


def test_wrong_values_are_at_their_fields(browser: Client, org: Organization, native: None) -> None:
    wrong = sent("apply", "train", **{"settings.conditions": "team", NUMBER: "many"})
    answer = browser.post(URL, wrong)
    page = read_page(answer)
    assert answer.status_code == 422
    assert complaints(page) == []
    form = page.id("queue-values").text
    assert "Queue train exists already. Enter another name." in form
    assert page.id("name").attrs["value"] == "train"
    preview = page.id("queue-preview").text
    assert "Name: Queue train exists already." in preview
    assert "Nominal quota of gpu in a100:" in preview
    empty = read_page(browser.post(URL, sent("preview", "")))
    assert (
        "Fill in the name and all fields that are not marked optional."
        in empty.id("queue-preview").text
    )
    assert active(org)[0] == 1


def test_a_rule_that_is_never_reached_is_a_consequence(
    browser: Client, org: Organization, native: None
) -> None:
    form = sent("apply", **{"settings.position": "3"})
    answer = browser.post(URL, form)
    page = read_page(answer)
    assert (answer.status_code, "Nothing applied yet" in page.text) == (422, True)
    warnings = page.id("queue-preview").all("li", **{"data-severity": "warning"})
    assert "This rule is never reached: scheduling_rules[1] matches every workload." in (
        warnings[-1].text
    )
    assert [link.attrs["href"] for each in warnings for link in each.all("a")] == [
        "/docs/diagnostics/#LNT004",
        "/docs/diagnostics/#NAT021",
    ]
    chosen = page.id("settings.position-1").all("option", selected="")
    assert [each.text for each in chosen] == ["After all rules"]
    codes = [each.attrs["value"] for each in page.all("input", name="accept")]
    assert browser.post(URL, form | {"accept": codes}).status_code == 302
    assert active(org)[0] == 2


def test_a_version_in_between_keeps_what_was_typed(
    browser: Client, owner: Actor, native: None
) -> None:
    apply_config(owner, "native", f"{NATIVE}# More.\n", "", 1)
    answer = browser.post(URL, sent("apply"))
    page = read_page(answer)
    assert answer.status_code == 409
    assert "Version 2 was applied after you opened this form" in page.text
    assert page.id("name").attrs["value"] == "vision"


def test_pages_lead_to_the_form(browser: Client, native: None) -> None:
    for url in ("/o/here/queues", "/o/here/config"):
        assert URL in [link.attrs.get("href") for link in read_page(browser.get(url)).all("a")]


def test_other_languages_have_other_fields(browser: Client, owner: Actor) -> None:
    apply_config(owner, "kueue", KUEUE, "", 0)
    form = {"settings.namespace": "vision", "number/nominalQuota/spot/cpu": "4"}
    page = read_page(browser.post(URL, sent("preview", "speech", **form)))
    assert "kind: LocalQueue" in page.id("queue-preview").text


def test_a_language_without_queues_has_a_way_to_the_editor(browser: Client, owner: Actor) -> None:
    assert "No config is active yet." in read_page(browser.get(URL)).text
    sample = next(iter(dialects()["skyshift"].samples().values()))
    apply_config(owner, "skyshift", sample, "", 0)
    assert "no queues that a form can add" in read_page(browser.get(URL)).text
    links = [link.attrs.get("href") for link in read_page(browser.get("/o/here/queues")).all("a")]
    assert URL not in links
