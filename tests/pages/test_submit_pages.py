"""The submit form with pod sets, and their display on the workload's page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from console.configs.services.apply_config import apply_config
from console.engine.model.nodes import NodeExpression, NodeOperator, Toleration
from console.engine.model.workload import PodSet
from console.orgs.models import Membership, Organization
from console.orgs.permissions import Actor
from console.policies.queries import active_version
from console.reading.typed_values import read_typed
from console.workloads.models import Workload
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.stored_pod_sets import decode_pod_sets
from console.workloads.submissions import Submission
from tests.cohort_sample import TWO_TEAMS
from tests.pages.page import Element, complaints, read_page

LIST = "/o/here/workloads"
NEW = f"{LIST}/new"

TYPED = """\
# A driver and its workers.
- name: driver
  requests: {cpu: 500m, memory: 2Gi}
- name: workers
  count: 8
  min_count: 4
  requests:
    cpu: 1.5
    memory: "1000"
  node_selector: {zone: west}
  affinity:
  - matchExpressions:
    - {key: tier, operator: In, values: [fast, faster]}
    - {key: slow, operator: DoesNotExist}
  - matchExpressions:
    - {key: cores, operator: Gt, values: ["8"]}
  tolerations:
  - {key: spot, value: "yes", effect: NoSchedule}
  - {operator: Exists}
  group: together
"""

FIELDS = {"name": "many", "type": "job", "copies": "1", "tags": "team=research"}


def errors(page: Element) -> dict[str, str]:
    """Return the error at each field."""
    return {
        element.attrs["id"].removeprefix("id_").removesuffix("_error"): element.text
        for element in page.walk()
        if element.attrs.get("id", "").endswith("_error")
    }


def test_pod_sets_are_typed_as_yaml_and_shown_in_a_table(
    config: None, browser: Client, settle: Callable[[Organization], int], org: Organization
) -> None:
    answer = browser.post(NEW, FIELDS | {"pod_sets": TYPED, "namespace": "vision"})
    made = Workload.objects.get(org=org)
    assert answer.headers["Location"] == f"{LIST}/{made.uid}"
    gib = 2**30 * 1000
    assert made.namespace == "vision"
    assert made.requests == {"cpu": 12500, "memory": 2 * gib + 8_000_000}
    assert decode_pod_sets(made.pod_sets, made.requests) == (
        PodSet(name="driver", requests={"cpu": 500, "memory": 2 * gib}),
        PodSet(
            name="workers",
            count=8,
            min_count=4,
            requests={"cpu": 1500, "memory": 1_000_000},
            node_selector={"zone": "west"},
            affinity=(
                (
                    NodeExpression("tier", NodeOperator.IN, ("fast", "faster")),
                    NodeExpression("slow", NodeOperator.DOES_NOT_EXIST),
                ),
                (NodeExpression("cores", NodeOperator.GT, ("8",)),),
            ),
            tolerations=(
                Toleration("spot", "Equal", "yes", "NoSchedule"),
                Toleration(operator="Exists"),
            ),
            group="together",
        ),
    )
    settle(org)
    page = read_page(browser.get(f"{answer.headers['Location']}?tab=spec"))
    assert complaints(page) == []
    assert page.id("pod-sets").rows() == [
        ["driver", "1", "0.5 CPU, 2Gi memory", "any", "—"],
        [
            "workers same flavors as group together",
            "8 at least 4",
            "1.5 CPUs, 1000 memory",
            (
                "zone=west tier In fast, faster and slow DoesNotExist or cores Gt 8 "
                "tolerates spot=yes:NoSchedule tolerates every taint"
            ),
            "—",
        ],
    ]


def test_json_is_taken_too_and_one_plain_pod_needs_no_table(
    config: None, browser: Client, org: Organization
) -> None:
    text = '[{"requests": {"gpu": 0.5}, "count": 1, "min_count": null}]'
    answer = browser.post(NEW, FIELDS | {"pod_sets": text, "copies": "2"})
    assert answer.status_code == 302
    rows = Workload.objects.filter(org=org).order_by("pk")
    assert list(rows.values_list("name", "requests", "pod_sets")) == [
        ("many-1", {"gpu": 500}, []),
        ("many-2", {"gpu": 500}, []),
    ]
    page = read_page(browser.get(f"{LIST}/{rows[0].uid}?tab=spec"))
    assert not [each for each in page.walk() if each.attrs.get("id") == "pod-sets"]


def test_amounts_may_be_quantities(config: None, browser: Client, org: Organization) -> None:
    assert browser.post(NEW, FIELDS | {"request_gpu": "500m"}).status_code == 302
    # Half of a device is one device, because Kubernetes rounds up.
    assert Workload.objects.get(org=org).requests == {"gpu": 1000}
    refused = read_page(browser.post(NEW, FIELDS | {"request_gpu": "much"}))
    assert errors(refused) == {
        "request_gpu": '"much" is not a quantity, such as 0.5, 500m or 64Gi.'
    }


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (
            TYPED.replace("2Gi", "2GB"),
            'Line 3: "2GB" is not a quantity; did you mean 2G?',
        ),
        (TYPED.replace("count: 8", "count: 3"), "Line 6: This has to be from 1 to 3."),
        (
            TYPED.replace("group:", "grup:"),
            "Line 20: grup is not known here; did you mean group?",
        ),
        (
            TYPED.replace("key: slow, ", ""),
            "Line 14: key is required.",
        ),
        (
            TYPED.replace("name: workers", "name: driver"),
            "Line 4: Another pod set is called driver; give each its own name.",
        ),
        ("[]", "Line 1: This takes 1 to 18 items; there are 0."),
        ("name: main", "Line 1: This has to be a list, not an object."),
        ("- name: 5", "Line 1: This has to be a string, not a number."),
    ],
)
def test_errors_of_pod_sets_have_a_line_and_keep_the_input(
    config: None, browser: Client, typed: str, message: str
) -> None:
    answer = browser.post(NEW, FIELDS | {"pod_sets": typed, "namespace": "vision"})
    page = read_page(answer)
    assert answer.status_code == 422
    assert errors(page) == {"pod_sets": message}
    assert page.id("id_pod_sets").text == " ".join(typed.split())
    assert page.id("id_namespace").attrs["value"] == "vision"
    assert [each for each in page.all("details") if "open" in each.attrs and each.all("textarea")]
    assert not Workload.objects.exists()


def test_amounts_stand_in_one_place(config: None, browser: Client) -> None:
    answer = browser.post(NEW, FIELDS | {"request_gpu": "1", "pod_sets": "- {}"})
    assert errors(read_page(answer)) == {
        "pod_sets": "Amounts are also given above; use only one of the two."
    }


@pytest.mark.parametrize("typed", ["- [", "a: &a [*a]", "- x\n---\n- y", "\x01"])
def test_invalid_yaml_is_reported_with_its_position(
    config: None, browser: Client, typed: str
) -> None:
    answer = browser.post(NEW, FIELDS | {"pod_sets": typed})
    assert answer.status_code == 422
    assert errors(read_page(answer))["pod_sets"].startswith("Line ")


def test_values_are_those_of_json() -> None:
    text = '[1, -2.50, 1e3, 010, 0x1f, yes, true, ~, "5", 500m, {a: }, 2026-01-31, .5]'
    typed = read_typed(text, "root")
    assert str(typed.value) == (
        "[1, Decimal('-2.50'), Decimal('1E+3'), '010', '0x1f', 'yes', True, None, '5', '500m', "
        "{'a': None}, '2026-01-31', '.5']"
    )
    assert (typed.problems, typed.line_of("root[10].a"), typed.line_of("elsewhere")) == ((), 1, 1)


def test_a_negative_priority_is_judged_by_the_active_config(
    config: None, browser: Client, org: Organization, owner: Actor
) -> None:
    refused = read_page(browser.post(NEW, FIELDS | {"priority": "-5"}))
    assert errors(refused) == {
        "priority": "This has to be from 0 to 9,007,199,254,740,991.",
    }
    pasted = browser.post(NEW, {"json": '[{"name": "w", "priority": -5}]'})
    assert pasted.status_code == 422
    active = active_version(org)
    assert active is not None
    apply_config(owner, "kueue", TWO_TEAMS, "", active.number)
    assert browser.post(NEW, FIELDS | {"priority": "-5"}).status_code == 302
    assert browser.post(NEW, {"json": '[{"name": "w", "priority": -6}]'}).status_code == 302
    rows = Workload.objects.filter(org=org).order_by("pk")
    assert list(rows.values_list("requested_priority", flat=True)) == [-5, -6]
    page = read_page(browser.get("/o/here/tester", {"priority": "-5", "namespace": "vision"}))
    assert complaints(page) == []


def test_the_spec_shows_optional_facts_where_they_are_set(browser: Client, owner: Actor) -> None:
    plain, full = submit_workloads(
        owner,
        [
            Submission(name="plain"),
            Submission(
                name="full",
                user="ada",
                groups=("research", "gpu-users"),
                preemptible=False,
                placement={"filters": [{"name": "<eu>"}]},
            ),
        ],
    )
    shown = {}
    for each in (plain, full):
        page = read_page(browser.get(f"{LIST}/{each.uid}?tab=spec"))
        assert complaints(page) == []
        facts = page.id("facts")
        names = [each.text for each in facts.walk() if each.tag == "dt"]
        shown[each.name] = dict(
            zip(names, (each.text for each in facts.walk() if each.tag == "dd"), strict=True)
        )
    optional = ("User", "Groups", "Preemptible", "Placement")
    assert [shown["full"][name] for name in optional] == [
        "ada",
        "research, gpu-users",
        "no",
        '{"filters": [{"name": "<eu>"}]}',
    ]
    assert shown["plain"].keys() & set(optional) == {"User"}
    assert shown["plain"]["User"] == "owner@here.example"


def test_the_form_shows_as_which_user_it_submits(
    owner: Actor, submitter: Actor, client_for: Callable[[Actor], Client]
) -> None:
    Membership.objects.filter(user=submitter.user).update(groups=["research"])
    mine, theirs = client_for(submitter), client_for(owner)
    page = read_page(mine.get(NEW))
    assert complaints(page) == []
    assert f"Submitted as {submitter.name} in research. Only the name" in page.id("main").text
    assert not {"id_user", "id_groups"} & {each.attrs.get("id") for each in page.walk()}
    assert mine.post(NEW, FIELDS | {"user": submitter.name, "groups": ""}).status_code == 302
    # A page that was opened with another role.
    stale = mine.post(NEW, FIELDS | {"copies": "2", "user": "root", "groups": "research\nadmin"})
    assert stale.status_code == 422
    page = read_page(stale)
    assert complaints(page) == []
    refused = "The role submitter may not submit workloads as other users and groups; leave out"
    assert [each.text for each in page.all("div", role="alert")] == [
        (
            f"The form has errors {refused} the user, or send {submitter.name}. "
            f"{refused} the groups, or send some of research."
        )
    ]
    pasted = mine.post(NEW, {"json": '[{"name": "a"}, {"name": "b", "user": "root"}]'})
    assert pasted.status_code == 422
    assert "workloads[1].user The role submitter may not" in read_page(pasted).text
    page = read_page(theirs.get(NEW))
    assert f"Submitted as {owner.name}, unless a workload states" in page.id("main").text
    assert theirs.post(NEW, FIELDS | {"user": "ada", "groups": "a\nb"}).status_code == 302
    rows = Workload.objects.order_by("pk").values_list("user", "groups")
    assert list(rows) == [(submitter.name, ["research"]), ("ada", ["a", "b"])]


def test_the_form_offers_what_the_organization_and_the_user_submitted_before(
    config: None, browser: Client, owner: Actor
) -> None:
    page = read_page(browser.get(NEW))
    assert "last workload" not in page.text
    assert page.all("p", id="seen-tags") == []
    for name, accelerator in (("first", "A10G"), ("second", "A100")):
        submit_workloads(
            owner,
            [
                Submission(
                    name=name,
                    user=owner.name,
                    tags={"team": name},
                    accelerator_type=accelerator,
                )
            ],
        )
    submit_workloads(owner, [Submission(name="of-another", user="another")])
    page = read_page(browser.get(NEW))
    assert complaints(page) == []
    assert page.id("seen-tags").text == "Tags of the newest workloads: team=first , team=second"
    offered = page.id("seen-accelerator-types").all("option")
    assert [each.attrs["value"] for each in offered] == ["A100", "A10G"]
    (line,) = [each for each in page.all("p") if "last workload" in each.text]
    last, fill = line.all("a")
    assert last.text == "second"
    repeated = read_page(browser.get(fill.attrs["href"]))
    assert repeated.id("id_name").attrs["value"] == "second"
    assert "last workload" not in repeated.text
