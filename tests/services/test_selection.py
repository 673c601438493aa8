"""Requests about selected workloads: each workload succeeds or fails alone."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from console.errors import BadRequest, Conflict, NotAllowed
from console.orgs.models import AuditEntry, Organization
from console.orgs.permissions import Actor
from console.workloads.models import Event, Intake, State, Workload
from console.workloads.queries.filters import WorkloadFilter
from console.workloads.queries.matching import matching_ids
from console.workloads.queries.workloads import get_workload
from console.workloads.resubmission import submission_of
from console.workloads.selection import MOST_SELECTED, Outcome, Result
from console.workloads.services.end_workloads import (
    finish_workloads,
    withdraw_each,
    withdraw_workloads,
)
from console.workloads.services.resubmit_workloads import resubmit_each
from console.workloads.services.submit_workloads import Submission, submit_workloads
from console.workloads.submissions import read_submissions

Settle = Callable[[Organization], int]

#: A workload with every field.
FULL = {
    "name": "full",
    "type": "service",
    "tags": {"team": "ml", "tier": "1"},
    "instance_type": "m5.2xlarge",
    "accelerator_type": "T4",
    "market_type": "ON_DEMAND",
    "cloud_resource_id": "cr-1",
    "priority": 7,
    "user": "someone",
    "groups": ["staff"],
    "project": "p",
    "namespace": "n",
    "preemptible": False,
    "placement": {"filters": [{"name": "eu", "match_labels": {"region": "eu"}}]},
}


def submitted(actor: Actor, *names: str) -> list[str]:
    made = submit_workloads(actor, [Submission(name=name) for name in names])
    return [each.uid for each in made]


def told(results: list[Result]) -> list[tuple[str, str, str]]:
    return [(each.name, each.outcome.value, each.message) for each in results]


def test_each_workload_is_withdrawn_or_says_why_not(
    owner: Actor, submitter: Actor, other_org: Organization, settle: Settle
) -> None:
    pending, ended, gone = submitted(submitter, "pending", "ended", "gone")
    (foreign,) = submitted(owner, "of-owner")
    settle(owner.org)
    finish_workloads(submitter, [ended])
    withdraw_workloads(submitter, [gone])
    settle(owner.org)
    found = withdraw_each(submitter, [foreign, gone, "unknown", ended, pending, pending])
    assert told(found) == [
        (
            "of-owner",
            "not_allowed",
            (
                "Another member or token submitted the workload. The role submitter may "
                "not finish, withdraw or deactivate the workloads of others; ask an operator or "
                "owner."
            ),
        ),
        ("gone", "unchanged", "The workload was already withdrawn."),
        ("", "not_found", "There is no workload unknown in here."),
        (
            "ended",
            "wrong_state",
            "The workload is already finished; only pending and running workloads are withdrawn.",
        ),
        ("pending", "withdrawn", "The workload is withdrawn."),
    ]
    settle(owner.org)
    states = dict(Workload.objects.values_list("name", "state"))
    assert states == {
        "pending": State.WITHDRAWN,
        "ended": State.FINISHED,
        "gone": State.WITHDRAWN,
        "of-owner": State.ADMITTED,
    }
    entry = AuditEntry.objects.filter(action="workload.withdraw").latest("pk")
    assert entry.subject == pending


def test_an_owner_withdraws_those_of_others_but_not_of_other_organizations(
    owner: Actor, submitter: Actor, other_org: Organization
) -> None:
    stranger = Actor.from_command(other_org)
    (foreign,) = submitted(stranger, "foreign")
    (uid,) = submitted(submitter, "own")
    found = withdraw_each(owner, [foreign, uid])
    assert [each.outcome for each in found] == [Outcome.NOT_FOUND, Outcome.WITHDRAWN]
    assert not Intake.objects.filter(org=other_org, kind=Intake.Kind.WITHDRAW).exists()


@pytest.mark.parametrize("service", [withdraw_each, resubmit_each])
def test_a_request_has_one_to_five_hundred_workloads(service, owner: Actor, viewer: Actor) -> None:
    with pytest.raises(NotAllowed):
        service(viewer, ["any"])
    for count in (0, MOST_SELECTED + 1):
        with pytest.raises(BadRequest, match=f"Select 1 to 500 workloads; {count} are selected."):
            service(owner, [str(number) for number in range(count)])
    found = service(owner, [str(number) for number in range(MOST_SELECTED)])
    assert {each.outcome for each in found} == {Outcome.NOT_FOUND}


@pytest.mark.parametrize(
    "request_fields",
    [
        {"requests": {"cpu": Decimal("1.5")}},
        {
            "pod_sets": [
                {"name": "driver", "requests": {"cpu": 1}},
                {
                    "name": "workers",
                    "count": 8,
                    "min_count": 4,
                    "requests": {"gpu": 0},
                    "node_selector": {"zone": "west"},
                },
            ]
        },
    ],
)
def test_the_same_request_is_submitted_again(owner: Actor, request_fields: dict) -> None:
    (given,) = read_submissions([FULL | request_fields])
    (made,) = submit_workloads(owner, [given])
    found = submission_of(get_workload(owner.org, made.uid))
    assert found.requested_pod_sets() == given.requested_pod_sets()
    assert found.labels() == given.labels()
    facts = ("name", "type", "priority", "user", "groups", "project", "namespace", "preemptible")
    assert [getattr(found, each) for each in (*facts, "placement")] == [
        getattr(given, each) for each in (*facts, "placement")
    ]


def test_ended_workloads_are_submitted_again_and_name_the_old_ones(
    owner: Actor, settle: Settle
) -> None:
    waits, ended = submitted(owner, "waits", "ended")
    settle(owner.org)
    finish_workloads(owner, [ended])
    settle(owner.org)
    found = resubmit_each(owner, [ended, "unknown", waits])
    new = Workload.objects.latest("pk")
    assert told(found) == [
        ("ended", "resubmitted", f"The workload is submitted again as {new.uid}."),
        ("", "not_found", "There is no workload unknown in here."),
        (
            "waits",
            "wrong_state",
            (
                "The workload is admitted; only ended workloads are submitted again. Withdraw it "
                "first."
            ),
        ),
    ]
    assert [each.made for each in found] == [new.uid, "", ""]
    assert (new.name, new.state) == ("ended", State.PENDING)
    event = Event.objects.filter(workload=new).get()
    assert event.data == {"workload": new.uid, "name": "ended", "resubmitted": ended}
    entry = AuditEntry.objects.filter(action="workload.submit").latest("pk")
    assert entry.after == {"count": 1, "ids": [new.uid], "resubmitted": [ended]}


def test_a_repeated_resubmission_creates_no_further_workloads(owner: Actor, settle: Settle) -> None:
    uids = submitted(owner, "a", "b")
    settle(owner.org)
    finish_workloads(owner, uids)
    settle(owner.org)
    first = resubmit_each(owner, uids, "key")
    assert resubmit_each(owner, uids, "key") == first
    assert Workload.objects.count() == 4
    with pytest.raises(Conflict, match="another request"):
        resubmit_each(owner, uids[:1], "key")


def test_workloads_of_other_users_are_resubmitted_by_those_who_may(
    operator: Actor, submitter: Actor, settle: Settle
) -> None:
    (made,) = submit_workloads(operator, [Submission(name="of-ann", user="ann", groups=("dev",))])
    settle(operator.org)
    finish_workloads(operator, [made.uid])
    settle(operator.org)
    (refused,) = resubmit_each(submitter, [made.uid])
    assert (refused.outcome, refused.message) == (
        Outcome.NOT_ALLOWED,
        (
            "The role submitter may not submit workloads as other users and groups; leave out the "
            "user, or send submitter@here.example."
        ),
    )
    resubmit_each(operator, [made.uid])
    new = Workload.objects.latest("pk")
    assert (new.user, new.groups) == ("ann", ["dev"])


def test_all_matching_workloads_are_found_up_to_the_limit(owner: Actor) -> None:
    with pytest.raises(BadRequest, match="1 to 500"):
        matching_ids(owner.org, WorkloadFilter(q="w-"))
    uids = submitted(owner, *(f"w-{number}" for number in range(MOST_SELECTED)))
    submitted(owner, "other")
    assert matching_ids(owner.org, WorkloadFilter(q="w-")) == uids[::-1]
    submitted(owner, "w-more")
    with pytest.raises(BadRequest, match="1 to 500"):
        matching_ids(owner.org, WorkloadFilter(q="w-"))
