"""Races of members and invitations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from console.errors import Conflict, NotAllowed, NotFound
from console.orgs.models import ApiToken, AuditEntry, Invitation, Membership, Role, User
from console.orgs.permissions import Actor
from console.orgs.services.accept_invitation import accept_invitation, join_with_password
from console.orgs.services.change_role import change_role
from console.orgs.services.create_org import create_org
from console.orgs.services.create_user import create_user
from console.orgs.services.invite import invite
from console.orgs.services.issue_token import create_token
from console.orgs.services.remove_member import leave_org, remove_member
from console.orgs.services.rotate_token import rotate_token
from console.orgs.token_secrets import digest_of
from tests.conftest import PASSWORD
from tests.services.conftest import RACERS

Race = Callable[[Callable[[int], Any]], list[Any]]


def owners(count: int) -> list[Actor]:
    org = create_org("here", "Here", None)
    found = []
    for number in range(count):
        user = create_user(f"owner-{number}@here.example", PASSWORD)
        Membership.objects.create(org=org, user=user, role=Role.OWNER)
        found.append(Actor.from_user(org, user, Role.OWNER))
    return found


def number_of(actor: Actor) -> int:
    return Membership.objects.get(org=actor.org, user=actor.user).pk


def kinds(results: list[Any]) -> Counter[str]:
    return Counter(type(each).__name__ for each in results)


def test_owners_who_demote_each_other_at_once_leave_one(race: Race) -> None:
    actors = owners(RACERS)
    numbers = [number_of(each) for each in actors]

    def demote_the_next(racer: int) -> Any:
        return change_role(actors[racer], numbers[(racer + 1) % RACERS], Role.VIEWER)

    results = race(demote_the_next)
    left = Membership.objects.filter(role=Role.OWNER).count()
    assert left >= 1
    demoted = kinds(results)["RoleChange"]
    assert (demoted, left) == (RACERS - left, RACERS - demoted)
    assert set(kinds(results)) <= {"RoleChange", NotAllowed.__name__, Conflict.__name__}
    assert AuditEntry.objects.filter(action="member.role").count() == demoted


def test_owners_who_all_leave_at_once_leave_one(race: Race) -> None:
    actors = owners(RACERS)
    results = race(lambda racer: leave_org(actors[racer]))
    assert kinds(results) == {"NoneType": RACERS - 1, "Conflict": 1}
    assert Membership.objects.filter(role=Role.OWNER).count() == 1


def test_two_owners_who_remove_and_demote_each_other_leave_one(race: Race) -> None:
    first, second = owners(2)
    one, two = number_of(first), number_of(second)

    def act(racer: int) -> Any:
        if racer % 2:
            return remove_member(first, two)
        return change_role(second, one, Role.VIEWER)

    race(act)
    assert Membership.objects.filter(role=Role.OWNER).count() == 1


def test_an_invitation_is_accepted_once(race: Race) -> None:
    (owner,) = owners(1)
    digest = digest_of(invite(owner, "new@here.example", Role.EDITOR).secret)
    user = create_user("new@here.example", PASSWORD)
    results = race(lambda _: accept_invitation(user, digest))
    assert kinds(results) == {"Membership": 1, NotFound.__name__: RACERS - 1}
    assert Membership.objects.filter(user=user).count() == 1
    assert AuditEntry.objects.filter(action="invitation.accept").count() == 1


def test_one_of_many_who_open_a_link_at_once_joins(race: Race) -> None:
    (owner,) = owners(1)
    digest = digest_of(invite(owner, "new@here.example", Role.EDITOR).secret)
    results = race(lambda racer: join_with_password(digest, f"a long password {racer}"))
    assert kinds(results) == {"Membership": 1, NotFound.__name__: RACERS - 1}
    user = User.objects.get(email="new@here.example")
    fitting = [n for n in range(RACERS) if user.check_password(f"a long password {n}")]
    assert len(fitting) == 1


def test_invitations_for_one_address_replace_each_other(race: Race) -> None:
    (owner,) = owners(1)
    results = race(lambda _: invite(owner, "new@here.example", Role.EDITOR))
    assert kinds(results) == {"Invited": RACERS}
    assert Invitation.objects.filter(revoked_at=None).count() == 1


def test_a_token_is_rotated_once(race: Race) -> None:
    from datetime import timedelta

    (owner,) = owners(1)
    token = create_token(owner, Role.VIEWER, "one").token
    results = race(lambda _: rotate_token(owner, token.pk, timedelta(hours=1)))
    assert kinds(results) == {"Issued": 1, "Conflict": RACERS - 1}
    assert ApiToken.objects.count() == 2
