"""Organizations, people and tokens."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from console.errors import BadRequest, Conflict, NotFound
from console.orgs.models import ApiToken, Membership, Organization, Role, User
from console.orgs.permissions import Actor
from console.orgs.queries import actor_for, orgs_of
from console.orgs.services.authenticate_token import authenticate_token
from console.orgs.services.create_org import create_org
from console.orgs.services.create_user import create_user
from console.orgs.services.issue_token import issue_token


def test_an_organization_begins_without_a_config(db: None) -> None:
    person = create_user("person@here.example", "a long password")
    org = create_org("here", "Here", person)
    assert org.active_config.number == 0
    assert (org.engine.version, org.engine.config_version) == (0, 0)
    assert Membership.objects.get(org=org).role == Role.OWNER
    assert actor_for(person, "here") == Actor.from_user(org, person, Role.OWNER)


def test_a_taken_slug_is_a_conflict(org: Organization) -> None:
    with pytest.raises(Conflict, match="already an organization 'here'"):
        create_org("here", "Another", None)


@pytest.mark.parametrize("slug", ["", "a b", "a/b", "é", "x" * 51])
def test_an_invalid_slug_is_refused(db: None, slug: str) -> None:
    with pytest.raises(BadRequest, match="1 to 50 letters"):
        create_org(slug, "Name", None)
    assert not Organization.objects.exists()


@pytest.mark.every_database
def test_email_addresses_are_unique_ignoring_case(db: None) -> None:
    create_user("person@here.example", "a long password")
    with pytest.raises(Conflict, match=r"Person@here\.example"):
        create_user("Person@here.example", "a long password")
    with pytest.raises(BadRequest, match="'person' is not an e-mail address"):
        create_user("person", "a long password")


def test_a_foreign_organization_looks_like_an_unknown_one(
    org: Organization, outsider: User
) -> None:
    assert [found.slug for found in orgs_of(outsider)] == ["elsewhere"]
    messages = []
    for slug in ("here", "nowhere"):
        with pytest.raises(NotFound) as caught:
            actor_for(outsider, slug)
        messages.append(caught.value.message.replace(repr(slug), "X"))
    assert messages[0] == messages[1]


def test_a_token_acts_in_its_organization(org: Organization) -> None:
    secret = issue_token(org, Role.OPERATOR, "executor")
    token = authenticate_token(secret)
    assert token is not None
    assert Actor.from_token(token) == Actor(
        org=org, role="operator", name="executor", key=f"token:{token.pk}"
    )
    assert secret.startswith(token.prefix)
    assert secret not in str(ApiToken.objects.values().get())


def test_unknown_revoked_and_expired_tokens_are_refused(org: Organization) -> None:
    now = timezone.now()
    expired = issue_token(org, Role.VIEWER, "old", expires_at=now - timedelta(seconds=1))
    revoked = issue_token(org, Role.VIEWER, "gone")
    ApiToken.objects.filter(name="gone").update(revoked_at=now)
    for secret in (expired, revoked, "aslu_unknown", "", "no prefix"):
        assert authenticate_token(secret) is None


def test_last_use_is_written_at_most_once_a_minute(
    org: Organization, django_assert_num_queries
) -> None:
    secret = issue_token(org, Role.VIEWER, "reader")
    with django_assert_num_queries(2):
        authenticate_token(secret)
    with django_assert_num_queries(1):
        authenticate_token(secret)
    ApiToken.objects.update(last_used_at=timezone.now() - timedelta(seconds=61))
    with django_assert_num_queries(2):
        authenticate_token(secret)


def test_a_token_needs_a_known_role_and_a_name(org: Organization) -> None:
    with pytest.raises(BadRequest) as caught:
        issue_token(org, "king", "")
    assert [(error.path, error.code) for error in caught.value.errors] == [
        ("role", "unknown_role"),
        ("name", "invalid_name"),
    ]
