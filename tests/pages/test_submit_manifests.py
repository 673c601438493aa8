"""Manifests in the submit form: findings at the text, and warnings after the submission."""

from __future__ import annotations

import pytest
from django.contrib.messages import get_messages
from django.test import Client

from console.capacity.services.report_cluster import report_cluster
from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.policies.queries import active_number
from console.workloads.models import Workload
from console.workloads.stored_facts import decode_facts
from tests.api.documents import OPEN
from tests.pages.page import complaints, read_page

NEW = "/o/here/workloads/new"

CONFIG = "kind: PlacementTemplate\nmetadata: { name: development }\nspec: {}\n"
JOB = """\
kind: Job
metadata: { name: train }
spec:
  resources: { cpus: 1, memory: 512M }
  placement: { template: development }
"""


@pytest.fixture
def placed(owner: Actor) -> None:
    """Apply a config whose language has manifests."""
    apply_config(owner, "skyshift", CONFIG, "", active_number(owner.org))


def manifest_parts(page_or_response: object) -> bool:
    page = read_page(page_or_response)
    return bool([each for each in page.walk() if each.attrs.get("name") == "manifest"])


def test_the_form_is_there_if_the_language_has_manifests(
    config: None, browser: Client, owner: Actor
) -> None:
    assert not manifest_parts(browser.get(NEW))
    apply_config(owner, "skyshift", CONFIG, "", active_number(owner.org))
    page = read_page(browser.get(NEW))
    assert complaints(page) == []
    field = page.id("manifest")
    assert field.attrs["placeholder"].startswith("kind: Job")
    assert field.attrs["aria-describedby"] == "manifest-hint"


def requested(browser: Client) -> list[str]:
    """Return the resources for which the form has an amount field."""
    names = [each.attrs.get("name", "") for each in read_page(browser.get(NEW)).all("input")]
    return [name.removeprefix("request_") for name in names if name.startswith("request_")]


def test_the_form_asks_for_what_clusters_offer(placed: None, browser: Client, owner: Actor) -> None:
    assert requested(browser) == ["cpu", "memory"]
    offers = {"ephemeral-storage": "1Gi", "nvidia.com/gpu": 8, "memory": "4Gi", "cpu": 2, "tpu": 0}
    report_cluster(owner, "east", {"nodes": [{"name": "n1", "allocatable": offers}]})
    assert requested(browser) == ["cpu", "memory", "ephemeral-storage", "nvidia.com/gpu"]


def test_a_manifest_is_submitted(placed: None, browser: Client, org: Organization) -> None:
    answer = browser.post(NEW, {"manifest": JOB.replace("\n", "\r\n")})
    made = Workload.objects.get(org=org)
    assert (answer.status_code, answer.headers["Location"]) == (
        302,
        f"/o/here/workloads/{made.uid}",
    )
    assert (made.name, made.namespace, made.requests) == (
        "train",
        "default",
        {"cpu": 1000, "memory": 512 * 2**20 * 1000},
    )
    assert list(get_messages(answer.wsgi_request)) == []


def test_warnings_are_shown_after_the_submission(placed: None, browser: Client) -> None:
    text = JOB.replace("512M", '"512"').replace("spec:\n", "spec:\n  image: ubuntu\n")
    page = read_page(browser.post(NEW, {"manifest": text}, follow=True))
    assert complaints(page) == []
    shown = [each for each in page.walk() if each.attrs.get("role") == "status"]
    warning = (
        'Line 5, column 33 of the manifest: memory: "512" has no unit, and SkyShift takes it for '
        "512 GB (524,288 MB). Write the unit: 512M for megabytes, 512G for gigabytes."
    )
    note = "Line 4, column 3 of the manifest: Not used for the placement of workloads: image."
    assert [(each.attrs["data-kind"], each.text) for each in shown if "manifest" in each.text] == [
        ("warning", warning),
        ("info", note),
    ]


def test_many_warnings_are_counted(placed: None, browser: Client) -> None:
    text = JOB + "".join(f"  bogus{number}: 1\n" for number in range(9))
    page = read_page(browser.post(NEW, {"manifest": text}, follow=True))
    assert page.text.count("of the manifest:") == 5
    assert "The manifest has 4 more findings." in page.text


def test_errors_are_shown_next_to_the_kept_text(
    placed: None, browser: Client, org: Organization
) -> None:
    text = "\n" + JOB.replace("memory: 512M", 'ram: "512"').replace("ment }", "mnt }")
    answer = browser.post(NEW, {"manifest": text})
    page = read_page(answer)
    assert (answer.status_code, complaints(page)) == (422, [])
    # A browser drops the first line break of a text area.
    assert f">\n{text}".replace('"', "&quot;") in answer.content.decode()
    found = [each.text for each in page.walk() if each.attrs.get("class") == "problem"]
    resource = (
        '"ram" is not a resource of SkyShift. It is called memory. '
        "SKY012 · line 5, column 25 · spec.resources.ram"
    )
    template = (
        'The config has no PlacementTemplate "developmnt". Did you mean "development"? '
        "SKY014 · line 6, column 26 · spec.placement.template"
    )
    assert [each.removeprefix("error ") for each in found] == [resource, template]
    field = page.id("manifest")
    assert field.attrs["aria-describedby"] == "manifest-hint manifest-errors"
    assert page.id("manifest-errors").attrs["role"] == "alert"
    (link,) = [each for each in page.all("a") if each.text == "SKY012"]
    assert link.attrs["href"] == "/docs/diagnostics/#SKY012"
    assert not Workload.objects.filter(org=org).exists()


def test_a_value_beyond_a_limit_of_workloads(placed: None, browser: Client) -> None:
    text = JOB.replace("name: train", "name: train, labels: { workload-type: batch }")
    answer = browser.post(NEW, {"manifest": text})
    page = read_page(answer)
    assert (answer.status_code, complaints(page)) == (422, [])
    assert page.id("manifest-errors").text == (
        "No workload was submitted metadata.labels.workload-type Line 2, column 36: "
        "This has to be one of: job, service, workspace."
    )


def test_the_text_is_kept_if_the_language_changes_meanwhile(
    placed: None, browser: Client, owner: Actor
) -> None:
    apply_config(owner, "native", OPEN, "", active_number(owner.org))
    answer = browser.post(NEW, {"manifest": JOB})
    page = read_page(answer)
    assert (answer.status_code, complaints(page)) == (422, [])
    assert "The config language Native has no manifests" in page.id("manifest-errors").text
    assert page.id("manifest").text == " ".join(JOB.split())


def test_only_submitters_may_submit_manifests(
    placed: None, people: dict[str, Client], org: Organization
) -> None:
    statuses = {
        role: people[role].post(NEW, {"manifest": JOB}).status_code for role in sorted(people)
    }
    assert statuses == {
        "editor": 403,
        "operator": 302,
        "owner": 302,
        "submitter": 302,
        "viewer": 403,
    }
    assert Workload.objects.filter(org=org).count() == 3


FIELDS = {"name": "train", "type": "job", "copies": "2"}


def test_the_form_has_a_placement_if_the_scheduler_reads_it(
    config: None, browser: Client, owner: Actor
) -> None:
    names = [each.attrs.get("name") for each in read_page(browser.get(NEW)).all("textarea")]
    assert names == ["pod_sets", "tags", "groups", "json"]
    apply_config(owner, "skyshift", CONFIG, "", active_number(owner.org))
    names = [each.attrs.get("name") for each in read_page(browser.get(NEW)).all("textarea")]
    assert names == ["manifest", "pod_sets", "placement", "tags", "groups", "json"]
    text = "template: development\nfilters: [{ name: eu, match_labels: { region: eu } }]\n"
    assert browser.post(NEW, FIELDS | {"placement": text}).status_code == 302
    made = Workload.objects.filter(org=owner.org)
    placement = {
        "template": "development",
        "filters": [{"name": "eu", "match_labels": {"region": "eu"}}],
    }
    assert [decode_facts(each.facts).placement for each in made] == [placement, placement]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[eu]", "Line 1: This has to be an object, not a list."),
        (
            "template: a\nfilters: [{ weight: 0.5 }]",
            "Line 2: Numbers in a placement are whole numbers; write a fraction as a string.",
        ),
        ("filters: [", "Line 1: "),
    ],
)
def test_errors_of_a_placement_have_a_line_and_keep_the_input(
    placed: None, browser: Client, text: str, message: str
) -> None:
    answer = browser.post(NEW, FIELDS | {"placement": text})
    page = read_page(answer)
    assert (answer.status_code, complaints(page)) == (422, [])
    assert page.id("id_placement_error").text.startswith(message)
    assert page.id("id_placement").text == " ".join(text.split())
    assert not Workload.objects.exists()


def test_other_ways_to_submit_remain(placed: None, browser: Client, org: Organization) -> None:
    assert browser.post(NEW, {"json": '[{"name": "a"}]'}).status_code == 302
    fields = {"name": "b", "type": "job", "copies": "1"}
    assert browser.post(NEW, fields).status_code == 302
    assert set(Workload.objects.filter(org=org).values_list("name", flat=True)) == {"a", "b"}
