"""The submit form with the request of another workload, and advised changes as buttons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from console.configs.services.apply_config import apply_config
from console.engine.counterfactual.change import Change, ChangeKind
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.pages.repeated_workload import repeat_address
from console.workloads.models import Event, State, Workload
from console.workloads.queries.workloads import get_workload
from console.workloads.resubmission import submission_of
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.module_fixtures import module_org
from tests.pages.conftest import World
from tests.pages.module_fixtures import module_world
from tests.pages.page import Element, complaints, read_page

org, owner = module_org()
made, world = module_world()

LIST = "/o/here/workloads"
ClientFor = Callable[[Actor], Client]
Settle = Callable[[Organization], int]


def fields(page: Element) -> dict[str, str]:
    """Return the values of the submit form as a browser sends them."""
    (form,) = (each for each in page.id("main").all("form") if each.all("input", name="name"))
    sent = {}
    for field in form.walk():
        name = field.attrs.get("name", "")
        kind = field.attrs.get("type", "text")
        if field.tag == "textarea":
            sent[name] = field.text if name != "tags" else field.text.replace(" ", "\n")
        elif field.tag == "select":
            chosen = [each for each in field.all("option") if "selected" in each.attrs]
            sent[name] = chosen[0].attrs["value"] if chosen else ""
        elif field.tag == "input" and (kind != "checkbox" or "checked" in field.attrs):
            sent[name] = field.attrs.get("value", "")
    sent.pop("csrfmiddlewaretoken")
    return sent


def buttons(page: Element) -> list[tuple[str, str]]:
    """Return (title, address) of the buttons beside advised changes."""
    return [
        (each.text, each.attrs.get("href", ""))
        for item in page.all("li")
        if "offer" in item.attrs.get("class", "").split()
        for each in (*item.all("a", class_="button"), *item.all("button"))
    ]


#: A queue of 2 CPUs in a cohort with 4 of its own.
COHORT = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: { name: spot }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: { name: all }
spec:
  resourceGroups:
    - coveredResources: [cpu]
      flavors: [{ name: spot, resources: [{ name: cpu, nominalQuota: 4 }] }]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: ml }
spec:
  cohortName: all
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [cpu]
      flavors: [{ name: spot, resources: [{ name: cpu, nominalQuota: 2 }] }]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: { name: ml, namespace: default }
spec: { clusterQueue: ml }
"""

FULL: dict[str, Any] = {
    "name": "full",
    "type": "service",
    "tags": {"team": "research", "tier": "1"},
    "instance_type": "m5.2xlarge",
    "market_type": "SPOT",
    "priority": 7,
    "project": "p",
    "namespace": "n",
    "preemptible": False,
    "placement": {"filters": [{"name": "eu", "match_labels": {"region": "eu"}}]},
}


@pytest.mark.parametrize(
    "request_fields",
    [
        {"requests": {"gpu": 2}},
        {"requests": {"gpu": 2, "not-in-the-config": 3}},
        {
            "pod_sets": [
                {"name": "driver", "requests": {"cpu": 1}},
                {
                    "name": "workers",
                    "count": 8,
                    "min_count": 4,
                    "requests": {"gpu": 0, "memory": "64Gi"},
                    "node_selector": {"zone": "west"},
                    "affinity": [
                        {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}
                    ],
                    "tolerations": [{"key": "spot", "value": "yes", "effect": "NoSchedule"}],
                },
            ]
        },
    ],
)
def test_the_form_repeats_a_request_exactly(
    world: World, browser: Client, owner: Actor, request_fields: dict[str, Any]
) -> None:
    (old,) = submit_workloads(owner, read_submissions([FULL | request_fields]))
    page = read_page(browser.get(f"{LIST}/new?repeat={old.uid}"))
    assert complaints(page) == []
    assert page.all("h1")[0].text == "Resubmit full"
    answer = browser.post(f"{LIST}/new?repeat={old.uid}", fields(page))
    new = Workload.objects.latest("pk")
    assert answer.headers["Location"] == f"{LIST}/{new.uid}"
    one, other = (submission_of(get_workload(owner.org, uid)) for uid in (old.uid, new.uid))
    assert other == one
    event = Event.objects.get(workload=new)
    assert event.data == {"workload": new.uid, "name": "full", "resubmitted": old.uid}
    assert Workload.objects.get(pk=old.pk).state == State.PENDING


def test_a_rejected_workload_is_resubmitted_with_an_advised_label(
    world: World, browser: Client, settle: Settle, org: Organization
) -> None:
    page = read_page(browser.get(f"{LIST}/{world.rejected.uid}"))
    assert complaints(page) == []
    # The advice is between the headline and the steps.
    order = [each.attrs["id"] for each in page.walk() if each.attrs.get("id") in _PARTS]
    assert order == list(_PARTS)
    titles = [title for title, _ in buttons(page)]
    edit = "Edit the config"
    assert titles == ["Resubmit with team=research", "Resubmit with changes", edit, edit]
    address = buttons(page)[0][1]
    form = read_page(browser.get(address))
    assert form.id("repeated").text == (
        "The form has the request of lost with team=research. The new workload is a separate one. "
        "Back to lost"
    )
    browser.post(address, fields(form))
    settle(org)
    new = Workload.objects.latest("pk")
    assert new.queue == "research"
    assert new.name == world.rejected.name


_PARTS = ("headline", "advice", "why")


def test_a_pending_workload_is_replaced_by_a_smaller_one(
    world: World, browser: Client, settle: Settle, org: Organization
) -> None:
    page = read_page(browser.get(f"{LIST}/{world.waiting.uid}/changes"))
    found = dict(buttons(page))
    title = "Resubmit with 2 GPUs"
    assert title in found
    form = read_page(browser.get(found[title]))
    sent = fields(form)
    assert (sent["request_gpu"], sent["withdraw"]) == ("2", "1")
    answer = browser.post(found[title], sent, follow=True)
    assert f"{world.waiting.name}: The workload is withdrawn." in read_page(answer).text
    settle(org)
    new = Workload.objects.latest("pk")
    assert (new.requests, new.state) == ({"gpu": 2000}, State.ADMITTED)
    assert Workload.objects.get(uid=world.waiting.uid).state == State.WITHDRAWN
    # Clones do not withdraw the original unless this is chosen.
    clone = read_page(browser.get(f"{LIST}/new?repeat={new.uid}"))
    assert "withdraw" not in fields(clone)


def test_an_advised_quota_is_filled_in_and_previewed(
    world: World, browser: Client, client_for: ClientFor, operator: Actor, viewer: Actor
) -> None:
    page = read_page(browser.get(f"{LIST}/{world.waiting.uid}/changes"))
    address = dict(buttons(page))["Change the quota of research"]
    assert parse_qs(urlsplit(address).query) == {
        "flavor": ["spot"],
        "resource": ["gpu"],
        "from": ["8000"],
        "to": ["10000"],
    }
    form = read_page(browser.get(address))
    assert complaints(form) == []
    number, *absent = form.id("quota-numbers").all("input")
    assert not any(each.attrs["value"] for each in absent)
    assert number.attrs["value"] == "10"
    assert "Apply version 2" in form.id("quota-preview").text
    for wrong in ("from=7000", "from=x", "to=-1", "resource=cpu", "from=9" + "9" * 5000):
        changed = f"{address}&{wrong}"
        assert browser.get(changed).status_code == 200
        number, *_ = read_page(browser.get(changed)).id("quota-numbers").all("input")
        assert number.attrs["value"] == "8"
    for actor in (operator, viewer):
        told = read_page(client_for(actor).get(f"{LIST}/{world.waiting.uid}/changes"))
        assert "Change the quota of research" not in dict(buttons(told))
        assert "Ask an owner to change the quota." in told.id("changes").text
    assert buttons(told) == []
    assert "Ask its submitter, or an operator, to submit it again." in told.id("changes").text


def test_a_workload_is_cloned_by_those_who_may_submit(
    world: World, browser: Client, client_for: ClientFor, submitter: Actor, viewer: Actor
) -> None:
    clone = f"{LIST}/new?repeat={world.finished.uid}"
    for tab in ("why", "timeline", "spec"):
        address = f"{LIST}/{world.finished.uid}?tab={tab}"
        page = read_page(browser.get(address))
        assert page.id("workload-actions").all("a", href=clone)
        theirs = read_page(client_for(viewer).get(address))
        assert not theirs.id("workload-actions").all("a")
    # A submitter clones the workload of another member as its own.
    theirs = client_for(submitter)
    form = read_page(theirs.get(clone))
    assert "user" not in fields(form)
    assert theirs.post(clone, fields(form)).status_code == 302
    new = Workload.objects.latest("pk")
    assert (new.name, new.user) == (world.finished.name, "submitter@here.example")
    assert client_for(viewer).get(clone).status_code == 403


def test_labels_that_are_no_line_are_named(world: World, browser: Client, owner: Actor) -> None:
    tags = {"a=b": "c", "lines": "one\ntwo", "plain": "x=y"}
    (old,) = submit_workloads(owner, read_submissions([{"name": "odd", "tags": tags}]))
    page = read_page(browser.get(f"{LIST}/new?repeat={old.uid}"))
    assert fields(page)["tags"] == "plain=x=y"
    assert "does not get them: a=b, lines." in page.id("main").text


@pytest.mark.parametrize(
    "query",
    [
        "change=ask_less&of=gpu&to=many",
        "change=ask_less&of=cpu&to=1",
        "change=ask_less&of=gpu&to=1&pod_set=workers",
        "change=ask_less&of=gpu",
        f"change=priority&to={'9' * 40}",
        "change=quota",
        "change=nothing",
        "change=label&of=workload-type",
        "change=label&of=a%00b&to=c",
        f"change=label&of=a&to={'x' * 501}",
    ],
)
def test_a_wrong_change_is_refused(world: World, browser: Client, query: str) -> None:
    answer = browser.get(f"{LIST}/new?repeat={world.waiting.uid}&{query}")
    assert answer.status_code == 400
    assert "open the form from its page" in read_page(answer).text


def test_an_unknown_workload_is_not_repeated(
    world: World, browser: Client, other_org: Organization
) -> None:
    (foreign,) = submit_workloads(
        Actor.from_command(other_org), read_submissions([{"name": "foreign"}])
    )
    for uid in ("unknown", foreign.uid, "a%00b"):
        assert browser.get(f"{LIST}/new?repeat={uid}").status_code in (400, 404)


def test_an_advised_quota_of_a_cohort_is_filled_in_too(
    org: Organization, owner: Actor, browser: Client, settle: Settle
) -> None:
    apply_config(owner, "kueue", COHORT, "", 1)
    item = {
        "name": "large",
        "namespace": "default",
        "tags": {"kueue.x-k8s.io/queue-name": "ml"},
        "requests": {"cpu": 8},
    }
    (workload,) = submit_workloads(owner, read_submissions([item]))
    settle(org)
    page = read_page(browser.get(f"{LIST}/{workload.uid}/changes"))
    form = read_page(browser.get(dict(buttons(page))["Change the quota of all"]))
    number, *absent = form.id("quota-numbers").all("input")
    assert not any(each.attrs["value"] for each in absent)
    assert number.attrs["value"] == "6"
    assert "Pending workloads that would start at once" in form.id("quota-preview").text


def test_the_address_has_only_changes_of_the_request(org: Organization) -> None:
    quota = Change(kind=ChangeKind.QUOTA, subject="spot/gpu", from_=1, to=2, queue="research")
    assert repeat_address(org, "w", quota) == f"{LIST}/new?repeat=w"
    none = Change(kind=ChangeKind.PRIORITY, from_=5, to=None)
    assert repeat_address(org, "w", none) == f"{LIST}/new?repeat=w&change=priority&of="
