"""Texts of other languages are pasted, recognized as their dialect, checked, and reviewed."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visitors
from tests.browser.editor import Editor
from tests.browser.place import Place
from tests.dialects.kueue.dump import dump


def test_pasted_manifests_select_their_dialect(visitors: Visitors, place: Place) -> None:
    page = visitors.page(place)
    page.goto(place.url("config/edit"))
    language = page.get_by_label("Language")
    expect(language).to_have_value("native")
    editor = Editor(page)
    editor.replace(dump(every=8))
    page.get_by_role("button", name="Switch to Kueue").click()
    expect(language).to_have_value("kueue")
    expect(page.get_by_role("button", name="Switch to Kueue")).to_have_count(0)
    expect(editor.problems).to_have_count(1)
    expect(editor.problems).to_contain_text("Set by the server and not read")
    expect(page.locator("[data-problem-count]")).to_have_text("1 note")
    editor.expect_saved()

    page.reload()
    expect(language).to_have_value("kueue")
    page.get_by_role("button", name="Review changes").click()
    meaning = page.get_by_role("region", name="Changes")
    expect(meaning).to_contain_text("Cohort research added")
    page.get_by_role("button", name="Apply version 1").click()
    expect(page).to_have_url(re.compile(r"/config/v/1\?applied=1$"))
    assert place.api.get("/config")["dialect"] == "kueue"


SKYSHIFT = """\
kind: Cluster
metadata:
  name: dev_1
  labels: { purpose: dev }
---
kind: PlacementTemplate
metadata:
  name: development
spec:
  filters:
    - name: dev
      match_labels: { purpose: dev }
"""


def test_pasted_clusters_are_recognized_checked_and_reviewed(
    visitors: Visitors, place: Place
) -> None:
    page = visitors.page(place)
    page.goto(place.url("config/edit"))
    editor = Editor(page)
    editor.replace(SKYSHIFT)
    page.get_by_role("button", name="Switch to SkyShift").click()
    expect(page.get_by_label("Language")).to_have_value("skyshift")
    expect(editor.problems).to_contain_text(
        [
            "No cluster has reported yet, so no workload can be placed.",
            'SkyShift changes the name "dev_1" to "dev-underscore-1".',
        ]
    )
    editor.expect_saved()
    page.get_by_role("button", name="Review changes").click()
    changes = page.get_by_role("region", name="Changes")
    expect(changes).to_contain_text("Cluster dev-underscore-1 added")
    expect(changes).to_contain_text("Placement template development added")


def test_labels_are_compared_with_the_clusters_that_report(
    visitors: Visitors, place: Place
) -> None:
    body = {"labels": {"purpose": "prod"}, "nodes": []}
    assert place.api.request("PUT", "/capacity/clusters/east", body).status == 201
    page = visitors.page(place)
    page.goto(place.url("config/edit"))
    editor = Editor(page)
    text = SKYSHIFT.replace("dev_1", "east").replace("{ purpose: dev }", "{ purpose: prodd }")
    editor.replace(text.replace("labels: { purpose: prodd }", "labels: { tier: gold }", 1))
    page.get_by_role("button", name="Switch to SkyShift").click()
    expect(editor.problems).to_have_count(1)
    expect(editor.problems).to_contain_text('Label "purpose" of no cluster is "prodd".')
    expect(editor.problems).to_contain_text('Did you mean "prod"?')
    page.get_by_role("button", name='Replace with "prod"').click()
    expect(editor.problems).to_have_count(0)


def test_labels_of_clusters_are_completed(visitors: Visitors, place: Place) -> None:
    body = {"labels": {"zone-of-clusters": "north-7"}, "nodes": []}
    assert place.api.request("PUT", "/capacity/clusters/east", body).status == 201
    page = visitors.page(place)
    page.goto(place.url("config/edit"))
    page.get_by_label("Language").select_option("skyshift")
    editor = Editor(page)
    editor.replace("kind: PlacementTemplate\nmetadata: { name: t }\nspec:\n  filters:\n")
    editor.type("  - { name: f, match_labels: { zone")
    choices = page.locator(".ace_autocomplete:visible .ace_line")
    expect(choices.first).to_contain_text("zone-of-clusters")
    editor.press("Enter")
    editor.type("nor")
    expect(choices.first).to_contain_text("north-7")
