"""Approval of config changes: whose, of which text, on which version, and what is refused."""

from __future__ import annotations

import json

import pytest

from console.configs.errors import ApprovalRequired, ConfigRejected, StaleVersion
from console.configs.models import ConfigVersion, ReviewComment, ReviewRequest
from console.configs.queries import count_reviews_for, get_review
from console.configs.services.apply_config import apply_config
from console.configs.services.apply_on_top import apply_on_top, roll_back_on_top
from console.configs.services.begin_draft import begin_draft
from console.configs.services.change_numbers import change_numbers
from console.configs.services.decide_review import decide_review
from console.configs.services.propose_numbers import NumberChange, numbers_of
from console.configs.services.request_review import request_review, submit_draft
from console.configs.services.revert_config import revert_config
from console.configs.services.roll_back import roll_back
from console.configs.services.save_draft import save_draft
from console.configs.services.take_over_draft import take_over_draft
from console.configs.services.withdraw_review import withdraw_review
from console.dialects.editable_numbers import ObjectKey
from console.engine.diff.objects import QUEUE
from console.errors import BadRequest, Conflict, NotAllowed, NotFound
from console.orgs.models import AuditEntry, Membership, Organization, Role
from console.orgs.permissions import Actor
from console.orgs.services.create_user import create_user
from console.orgs.services.issue_token import create_token
from console.orgs.services.set_approval import set_approval
from console.webhooks.models import Delivery, Kind, Webhook
from console.workloads.models import Event
from tests.conftest import PASSWORD, member
from tests.services.test_revert_timer import FIRST, SECOND, TEN

THIRD = FIRST.replace("a\n", "c\n")
QUOTA = """\
resource_flavors: [{ name: spot }]
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{ name: spot, resources: [{ name: gpu, nominal_quota: 8 }] }]
scheduling_rules:
  - resource_queue: train
"""


@pytest.fixture
def guarded(owner: Actor) -> Actor:
    """Return the owner of an organization with a version, in which changes need approval."""
    apply_config(owner, "native", FIRST, "", 0)
    set_approval(owner, required=True)
    return owner


def entries(prefix: str) -> list[tuple[str, str, object, object]]:
    """Return the audit entries of the actions that begin with *prefix*, oldest first."""
    rows = AuditEntry.objects.filter(action__startswith=prefix).order_by("pk")
    return [(row.action, row.actor, row.before, row.after) for row in rows]


def test_the_setting_is_off_until_an_owner_turns_it_on(owner: Actor, editor: Actor) -> None:
    with pytest.raises(NotAllowed):
        set_approval(editor, required=True)
    assert apply_config(owner, "native", FIRST, "", 0).number == 1
    set_approval(owner, required=True)
    set_approval(owner, required=True)
    assert Organization.objects.get(pk=owner.org.pk).approval_required
    assert entries("org.approval") == [
        ("org.approval", owner.name, {"required": False}, {"required": True})
    ]


def test_an_approved_text_is_applied_by_an_owner(guarded: Actor, editor: Actor) -> None:
    hook = Webhook.objects.create(
        org=guarded.org,
        name="chat",
        url="https://hook.example/",
        kinds=[Kind.REVIEW_REQUESTED, Kind.APPROVED],
    )
    review = request_review(editor, "native", SECOND, 1, "Rename a")
    with pytest.raises(ApprovalRequired):
        apply_config(guarded, "native", SECOND, "", 1)
    decide_review(guarded, review.pk, "approve")
    version = apply_config(guarded, "native", SECOND, "", 1)
    assert (version.number, version.text, version.author) == (2, SECOND, guarded.name)

    fact = Event.objects.filter(type="CONFIG_UPDATED").latest("pk").data
    assert (fact["request"], fact["approved_by"]) == (review.pk, guarded.name)
    assert [name for name, *_ in entries("review")] == ["review.request", "review.approve"]
    told = [json.loads(each.body) for each in Delivery.objects.filter(webhook=hook).order_by("pk")]
    assert [(each["type"], each["summary"]) for each in told] == [
        (
            "config.review_opened",
            f"{editor.name} submitted review request {review.pk}: Rename a",
        ),
        ("config.approved", f"{guarded.name} approved review request {review.pk}: Rename a"),
    ]
    assert told[0]["url"].endswith(f"/o/{guarded.org.slug}/config/reviews/{review.pk}")
    assert told[1]["data"] == {
        "request": review.pk,
        "title": "Rename a",
        "base": 1,
        "by": guarded.name,
        "author": editor.name,
    }


def test_an_approval_holds_for_exactly_its_text_and_version(guarded: Actor, editor: Actor) -> None:
    for text in (SECOND, THIRD):
        decide_review(guarded, request_review(editor, "native", text, 1).pk, "approve")
    for other in (f"{SECOND}# one more line\n", SECOND.replace("b", "d")):
        with pytest.raises(ApprovalRequired):
            apply_config(guarded, "native", other, "", 1)
    apply_config(guarded, "native", SECOND, "", 1)
    # It was approved on version 1, where it did not undo version 2.
    with pytest.raises(ApprovalRequired):
        apply_config(guarded, "native", THIRD, "", 2)
    assert ConfigVersion.objects.count() == 2


def test_the_people_of_a_text_cannot_decide(guarded: Actor, editor: Actor) -> None:
    draft = begin_draft(editor, "native", SECOND, 1)
    review = submit_draft(guarded, draft.pk, 1)
    token = create_token(guarded, Role.OWNER, "mine").token
    token.org = guarded.org
    for actor in (guarded, editor, Actor.from_token(token)):
        for verdict in ("approve", "request_changes"):
            with pytest.raises(NotAllowed, match="another editor or owner"):
                decide_review(actor, review.pk, verdict, "Fine")
    with pytest.raises(NotAllowed, match="A member has to decide"):
        decide_review(Actor.from_command(guarded.org), review.pk, "approve")
    assert get_review(guarded.org, review.pk).state == "waiting"
    assert not ReviewComment.objects.exists()

    user = create_user("second@here.example", PASSWORD)
    Membership.objects.create(org=guarded.org, user=user, role=Role.OWNER)
    second = Actor.from_user(guarded.org, user, Role.OWNER)
    assert decide_review(second, review.pk, "approve").decided_by == second.name


def test_earlier_editors_of_the_draft_cannot_decide(guarded: Actor, editor: Actor) -> None:
    draft = begin_draft(editor, "native", SECOND, 1)
    people = [editor]
    for number, name in enumerate(("second", "third"), start=2):
        user = create_user(f"{name}@here.example", PASSWORD)
        Membership.objects.create(org=guarded.org, user=user, role=Role.EDITOR)
        person = Actor.from_user(guarded.org, user, Role.EDITOR)
        take_over_draft(person, draft.pk, people[-1].user.pk)
        save_draft(person, draft.pk, "native", f"{SECOND}# {name}\n", 1, number)
        people.append(person)
    review = submit_draft(people[-1], draft.pk, 3)
    for person in people:
        with pytest.raises(NotAllowed, match="another editor or owner"):
            decide_review(person, review.pk, "approve")
    assert [count_reviews_for(each, 1) for each in (*people, guarded)] == [0, 0, 0, 1]
    assert decide_review(guarded, review.pk, "approve").state == "approved"
    assert count_reviews_for(guarded, 1) == 0


def test_a_rejected_save_makes_no_editor(guarded: Actor, editor: Actor) -> None:
    draft = begin_draft(editor, "native", SECOND, 1)
    with pytest.raises(Conflict):
        save_draft(guarded, draft.pk, "native", THIRD, 1, 2)
    review = submit_draft(editor, draft.pk, 1)
    assert decide_review(guarded, review.pk, "approve").state == "approved"


def test_reviews_on_an_old_version_wait_for_no_member(guarded: Actor, editor: Actor) -> None:
    request_review(editor, "native", SECOND, 1)
    assert (count_reviews_for(guarded, 1), count_reviews_for(guarded, 2)) == (1, 0)


def test_roles_without_the_permission_cannot_decide(
    guarded: Actor, editor: Actor, operator: Actor, viewer: Actor
) -> None:
    review = request_review(guarded, "native", SECOND, 1)
    for actor in (operator, viewer):
        for verdict in ("approve", "comment"):
            with pytest.raises(NotAllowed):
                decide_review(actor, review.pk, verdict, "Fine")
        with pytest.raises(NotAllowed):
            request_review(actor, "native", THIRD, 1)
    assert decide_review(editor, review.pk, "approve").state == "approved"


def test_requested_changes_end_an_approval(guarded: Actor, editor: Actor) -> None:
    review = request_review(editor, "native", SECOND, 1)
    decide_review(guarded, review.pk, "approve")
    decide_review(guarded, review.pk, "request_changes", "Wait for Monday", 2)
    with pytest.raises(ApprovalRequired):
        apply_config(guarded, "native", SECOND, "", 1)
    with pytest.raises(Conflict, match="closed"):
        decide_review(guarded, review.pk, "approve")
    rows = ReviewComment.objects.values_list("verdict", "text", "line")
    assert list(rows) == [("approve", "", None), ("request_changes", "Wait for Monday", 2)]
    # The same text can be submitted and approved again.
    again = request_review(editor, "native", SECOND, 1)
    assert again.pk != review.pk
    decide_review(guarded, again.pk, "approve")
    assert apply_config(guarded, "native", SECOND, "", 1).number == 2


def test_comments_need_a_text_and_a_line_of_the_submission(guarded: Actor, editor: Actor) -> None:
    review = request_review(editor, "native", SECOND, 1)
    last = len(SECOND.splitlines())
    for text, line in (("", None), ("Why?", 0), ("Why?", last + 1)):
        with pytest.raises(BadRequest):
            decide_review(editor, review.pk, "comment", text, line)
    decide_review(editor, review.pk, "comment", "Why?", last)
    assert ReviewComment.objects.get().line == last
    assert get_review(guarded.org, review.pk).state == "waiting"


def test_a_newer_text_of_a_draft_replaces_the_request(guarded: Actor, editor: Actor) -> None:
    draft = begin_draft(editor, "native", SECOND, 1)
    first = submit_draft(editor, draft.pk, 1)
    assert submit_draft(editor, draft.pk, 1).pk == first.pk
    decide_review(guarded, first.pk, "approve")
    save_draft(editor, draft.pk, "native", THIRD, 1, 2)
    with pytest.raises(Conflict, match="saved again"):
        submit_draft(editor, draft.pk, 1)
    second = submit_draft(editor, draft.pk, 2)
    states = ReviewRequest.objects.order_by("pk").values_list("pk", "state")
    assert list(states) == [(first.pk, "withdrawn"), (second.pk, "waiting")]
    with pytest.raises(ApprovalRequired):
        apply_config(guarded, "native", SECOND, "", 1)


def test_a_withdrawn_request_approves_nothing(guarded: Actor, editor: Actor) -> None:
    review = request_review(editor, "native", SECOND, 1)
    decide_review(guarded, review.pk, "approve")
    withdraw_review(editor, review.pk)
    with pytest.raises(ApprovalRequired):
        apply_config(guarded, "native", SECOND, "", 1)
    with pytest.raises(Conflict):
        withdraw_review(editor, review.pk)
    assert entries("review.withdraw") == [
        ("review.withdraw", editor.name, {"state": "approved"}, {"state": "withdrawn"})
    ]


def test_only_a_text_that_could_be_applied_is_submitted(guarded: Actor, editor: Actor) -> None:
    with pytest.raises(ConfigRejected):
        request_review(editor, "native", "resource_queues: 3\n", 1)
    with pytest.raises(StaleVersion):
        request_review(editor, "native", SECOND, 0)
    with pytest.raises(Conflict, match="identical"):
        request_review(editor, "native", FIRST, 1)
    assert not ReviewRequest.objects.exists()


def test_a_request_on_an_old_version_is_not_approved(guarded: Actor, editor: Actor) -> None:
    review = request_review(editor, "native", SECOND, 1)
    set_approval(guarded, required=False)
    apply_config(guarded, "native", THIRD, "", 1)
    with pytest.raises(StaleVersion):
        decide_review(guarded, review.pk, "approve")


def test_every_way_to_apply_asks_for_the_approval(owner: Actor) -> None:
    apply_config(owner, "native", QUOTA, "", 0)
    set_approval(owner, required=True)
    key = ObjectKey(QUEUE, "train")
    (number,) = [each for each in numbers_of(owner, key, 1) if each.written == "8"]
    with pytest.raises(ApprovalRequired):
        change_numbers(owner, key, [NumberChange(key=number.key, value="9")], "", 1)
    with pytest.raises(ApprovalRequired):
        apply_on_top(owner, "native", FIRST)
    with pytest.raises(ApprovalRequired):
        apply_config(Actor.from_command(owner.org), "native", FIRST, "", 1)
    assert ConfigVersion.objects.count() == 1


def test_an_owner_rolls_back_alone_with_a_reason(owner: Actor) -> None:
    apply_config(owner, "native", FIRST, "", 0)
    apply_config(owner, "native", SECOND, "", 1)
    set_approval(owner, required=True)
    for attempt in (lambda: roll_back(owner, 1, 2), lambda: roll_back_on_top(owner, 1)):
        with pytest.raises(BadRequest) as caught:
            attempt()
        assert [each.code for each in caught.value.errors] == ["reason_required"]
    version = roll_back(owner, 1, 2, "b starves everything else")
    assert (version.number, version.text) == (3, FIRST)
    (entry,) = entries("config.rollback")
    assert isinstance(entry[3], dict)
    assert (entry[3]["message"], entry[3]["approved_by"]) == ("b starves everything else", None)


def test_an_unconfirmed_version_is_reverted_without_approval(owner: Actor) -> None:
    apply_config(owner, "native", FIRST, "", 0)
    apply_config(owner, "native", SECOND, "", 1, revert_after=TEN)
    set_approval(owner, required=True)
    assert revert_config(owner, 2, ConfigVersion.Via.PAGE).text == FIRST


def test_other_organizations_have_no_such_request(
    guarded: Actor, editor: Actor, other_org: Organization
) -> None:
    review = request_review(editor, "native", SECOND, 1)
    stranger = member(other_org, Role.OWNER)
    for act in (
        lambda: decide_review(stranger, review.pk, "approve"),
        lambda: withdraw_review(stranger, review.pk),
    ):
        with pytest.raises(NotFound):
            act()
