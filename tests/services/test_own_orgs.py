"""Organizations that people create in the browser: the permission, the limits and the slugs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from console.configs.models import Draft
from console.configs.services.start_org import start_org
from console.dialects import dialects
from console.errors import BadRequest, Conflict, NotAllowed
from console.orgs.models import AuditEntry, Membership, Organization, Proof, Role, User
from console.orgs.org_creation import may_create_orgs, why_not_create_orgs
from console.orgs.org_slugs import RESERVED_SLUGS, free_slug_of, is_valid_slug
from console.orgs.permissions import Actor
from console.orgs.services.accept_invitation import join_with_password
from console.orgs.services.create_org import create_org
from console.orgs.services.create_own_org import create_own_org
from console.orgs.services.create_user import create_user
from console.orgs.services.invite import invite
from console.orgs.services.remove_member import remove_member
from console.orgs.services.rename_org import rename_org
from console.orgs.token_secrets import digest_of
from tests.conftest import PASSWORD
from tests.services.conftest import RACERS

Race = Callable[[Callable[[int], Any]], list[Any]]


@pytest.fixture
def founder(db: None) -> User:
    """Return a person who may create organizations."""
    return create_founder("founder@here.example")


def create_founder(email: str) -> User:
    user = create_user(email, PASSWORD)
    user.can_create_orgs = True
    user.save()
    return user


def refused(call: Callable[[], object]) -> list[tuple[str, str]]:
    with pytest.raises(BadRequest) as caught:
        call()
    return [(each.path, each.code) for each in caught.value.errors]


def test_a_person_becomes_the_owner_of_a_new_organization(founder: User) -> None:
    actor = create_own_org(founder, "  Acme Research ", "")
    org = Organization.objects.get()
    assert actor == Actor.from_user(org, founder, Role.OWNER)
    assert (org.slug, org.name, org.created_by) == ("acme-research", "Acme Research", founder)
    assert list(org.memberships.values_list("user", "role")) == [(founder.pk, "owner")]
    assert (org.active_config.number, org.engine.version) == (0, 0)
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor, entry.actor_key, entry.after) == (
        "org.create",
        founder.email,
        f"user:{founder.pk}",
        {"name": "Acme Research", "owner": founder.email},
    )


@pytest.mark.parametrize(
    ("setting", "permitted", "proof", "is_confirmed", "may"),
    [
        ("permitted", True, Proof.OPERATOR, False, True),
        ("permitted", True, Proof.PROVIDER, False, True),
        ("permitted", False, Proof.OPERATOR, False, False),
        ("all", False, Proof.OPERATOR, False, True),
        ("none", True, Proof.OPERATOR, True, False),
        # An owner who invited the address may have chosen the password.
        ("permitted", True, Proof.INVITATION, False, False),
        ("all", True, Proof.INVITATION, False, False),
        ("all", False, Proof.UNKNOWN, False, False),
        ("all", False, Proof.INVITATION, True, True),
    ],
)
def test_the_setting_the_permission_and_the_proof_decide(
    founder: User,
    settings: Any,
    setting: str,
    permitted: bool,
    proof: str,
    is_confirmed: bool,
    may: bool,
) -> None:
    settings.ORG_CREATION = setting
    founder.can_create_orgs, founder.proof = permitted, proof
    founder.address_confirmed_at = timezone.now() if is_confirmed else None
    founder.save()
    assert may_create_orgs(founder) == may
    if may:
        create_own_org(founder, "Acme", "acme")
        return
    with pytest.raises(NotAllowed) as caught:
        create_own_org(founder, "Acme", "acme")
    assert caught.value.message == why_not_create_orgs(founder)
    assert not Organization.objects.exists()


def test_the_commands_in_reasons_are_quoted(founder: User, settings: Any) -> None:
    founder.email, founder.can_create_orgs = "`reboot`@here.example", False
    assert (why_not_create_orgs(founder) or "").endswith(
        "allow_creating_orgs '`reboot`@here.example'."
    )


def test_a_permission_that_ends_meanwhile_is_noticed(founder: User) -> None:
    User.objects.update(can_create_orgs=False)
    with pytest.raises(NotAllowed):
        create_own_org(founder, "Acme", "acme")
    assert not Organization.objects.exists()


@pytest.mark.parametrize(
    ("slug", "code"),
    [
        *((slug, "invalid_slug") for slug in ("A", "a b", "a_b", "-a", "a-", "a/b", "é", "x" * 51)),
        *((slug, "invalid_slug") for slug in ("a\n", "a\0", "..", "а")),
        *((slug, "not_available") for slug in ("here", "new", "api", "static")),
    ],
)
def test_slugs_that_are_refused(founder: User, slug: str, code: str) -> None:
    create_org("Here", "A foreign name", None)
    # Spaces around a slug do not count.
    wanted = code if slug.strip() == slug else "not_available"
    if slug == "a\n":
        create_org("a", "Another", None)
    assert refused(lambda: create_own_org(founder, "Acme", slug)) == [("slug", wanted)]
    assert not Organization.objects.filter(created_by=founder).exists()


def test_taken_and_reserved_slugs_get_the_same_message(founder: User) -> None:
    create_org("here", "A foreign name", None)
    messages = set()
    for slug in ("here", "login"):
        with pytest.raises(BadRequest) as caught:
            create_own_org(founder, "Acme", slug)
        messages.add(caught.value.message.replace(slug, "X"))
    assert messages == {"The slug X is not available; choose another one."}


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", "blank"),
        ("   ", "blank"),
        ("x" * 201, "too_long"),
        ("a\0b", "invalid_characters"),
        ("\ud800", "invalid_characters"),
        ("two\nlines", "invalid_name"),
        ("right\u202eleft", "invalid_name"),
        ("zero\u200bwidth", "invalid_name"),
    ],
)
def test_names_that_are_refused(founder: User, owner: Actor, name: str, code: str) -> None:
    assert refused(lambda: create_own_org(founder, name, "acme")) == [("name", code)]
    assert refused(lambda: rename_org(owner, name)) == [("name", code)]


def test_a_slug_is_derived_from_the_name(db: None) -> None:
    found = {
        name: free_slug_of(name)
        for name in ("Acme", "Übung & Söhne_2", "API", "研究", "-", "x" * 60)
    }
    assert found == {
        "Acme": "acme",
        "Übung & Söhne_2": "ubung-sohne-2",
        # A reserved one is numbered, as is one that is taken.
        "API": "api-2",
        "研究": None,
        "-": None,
        "x" * 60: "x" * 50,
    }
    assert all(slug is None or is_valid_slug(slug) for slug in found.values())
    create_org("acme", "Acme", None)
    create_org("Acme-2", "Acme", None)
    assert free_slug_of("Acme") == "acme-3"
    for number in range(3, 21):
        create_org(f"acme-{number}", "Acme", None)
    assert free_slug_of("Acme") is None


def test_a_name_without_a_slug_needs_one(founder: User) -> None:
    assert refused(lambda: create_own_org(founder, "研究", "")) == [("slug", "required")]
    assert create_own_org(founder, "研究", "lab").org.name == "研究"


def test_every_first_part_of_an_address_is_reserved() -> None:
    def parts(each: URLPattern | URLResolver) -> str:
        text = str(each.pattern).removeprefix("^/*")
        return text.removeprefix("(?:").split("/")[0].split("$")[0]

    top: list[URLPattern | URLResolver] = list(get_resolver().url_patterns)
    pages = next(each for each in top if isinstance(each, URLResolver) and not str(each.pattern))
    first = {parts(each) for each in (*top, *pages.url_patterns)} - {""}
    assert {"o", "api", "confirm", "organizations", "v2"} <= first
    assert first <= RESERVED_SLUGS


def test_a_person_creates_five_in_a_day_and_so_many_in_total(founder: User, settings: Any) -> None:
    settings.ORGS_PER_PERSON = 7
    for number in range(5):
        create_own_org(founder, "Acme", f"acme-{number}")
    with pytest.raises(Conflict, match="5 organizations within a day"):
        create_own_org(founder, "Acme", "acme-5")
    Organization.objects.update(created_at=timezone.now() - timedelta(days=1, seconds=1))
    # An account of the same address does not count anew.
    twin = User.objects.create_user(
        founder.email.upper(),
        proof=Proof.INVITATION,
        can_create_orgs=True,
        address_confirmed_at=timezone.now(),
    )
    create_own_org(twin, "Acme", "acme-5")
    create_own_org(founder, "Acme", "acme-6")
    with pytest.raises(Conflict, match="maximum number of organizations: 7"):
        create_own_org(twin, "Acme", "acme-7")
    create_own_org(create_founder("other@here.example"), "Acme", "acme-7")
    # Commands have no limit.
    create_org("acme-8", "Acme", founder)


def test_an_organization_begins_with_a_draft(founder: User) -> None:
    for language, dialect in dialects().items():
        for title, text in {"": "", **dialect.samples()}.items():
            started = start_org(founder, "Acme", "", f"{language}/{title}")
            draft = started.draft
            assert draft is not None
            assert (draft.org, draft.author, draft.editor) == (started.owner.org, founder, founder)
            found = (draft.dialect, draft.text, draft.title, draft.base)
            assert found == (language, text, title, 0)
            # The slug is free again, and the organization does not count.
            mine = Organization.objects.filter(created_by=founder)
            mine.update(created_by=None, slug=f"x-{draft.pk}")
    assert start_org(founder, "Acme", "acme", "").draft is None


@pytest.mark.parametrize("start", ["native/nothing", "x/", "x", "/", "native/\0", "kueue/ "])
def test_an_unknown_start_creates_nothing(founder: User, start: str) -> None:
    assert refused(lambda: start_org(founder, "Acme", "acme", start)) == [
        ("start", "invalid_choice")
    ]
    assert not Organization.objects.exists()


def test_a_failure_leaves_nothing_behind(founder: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise Conflict("x", "The draft cannot be created.")

    monkeypatch.setattr("console.configs.services.start_org.begin_draft", fail)
    with pytest.raises(Conflict):
        start_org(founder, "Acme", "acme", "native/")
    found = (Organization.objects.count(), Membership.objects.count(), AuditEntry.objects.count())
    assert (found, Draft.objects.count()) == ((0, 0, 0), 0)


def test_one_of_several_people_gets_a_slug(race: Race) -> None:
    people = [create_founder(f"founder-{number}@here.example") for number in range(RACERS)]
    results = race(lambda racer: create_own_org(people[racer], f"Acme {racer}", "acme"))
    assert sorted(type(each).__name__ for each in results) == [
        "Actor",
        *["BadRequest"] * (RACERS - 1),
    ]
    org = Organization.objects.get()
    assert org.memberships.get().user == org.created_by
    assert AuditEntry.objects.count() == 1


def test_requests_at_once_stay_within_the_limit(race: Race) -> None:
    founder = create_founder("founder@here.example")
    now = timezone.now()
    for number in range(4):
        Organization.objects.create(slug=f"old-{number}", created_by=founder, created_at=now)
    results = race(lambda racer: create_own_org(founder, "Acme", f"acme-{racer}"))
    assert sorted(type(each).__name__ for each in results) == [
        "Actor",
        *["Conflict"] * (RACERS - 1),
    ]


def test_an_account_that_is_taken_over_loses_the_permission(owner: Actor) -> None:
    email = "guest@here.example"
    first = join_with_password(digest_of(invite(owner, email, Role.VIEWER).secret), "a password x")
    User.objects.filter(pk=first.user_id).update(
        can_create_orgs=True, address_confirmed_at=timezone.now()
    )
    remove_member(owner, first.pk)
    second = join_with_password(digest_of(invite(owner, email, Role.VIEWER).secret), "a password y")
    assert second.user_id == first.user_id
    account = User.objects.get(pk=first.user_id)
    assert (account.can_create_orgs, account.address_confirmed_at) == (False, None)


def test_commands_permit_and_revoke(owner: Actor, settings: Any, capsys: Any) -> None:
    email = owner.name
    call_command("allow_creating_orgs", email.upper())
    assert User.objects.get(email=email).can_create_orgs
    settings.ORG_CREATION = "all"
    call_command("allow_creating_orgs", email, "--revoke")
    assert not User.objects.get(email=email).can_create_orgs
    call_command("allow_creating_orgs", email, "--revoke")
    assert capsys.readouterr().out == (
        f"{email} may create organizations in the browser.\n"
        f"{email} has no permission to create organizations.\n"
        "This has no effect while ORG_CREATION is all.\n"
        f"{email} has no permission to create organizations.\n"
        "This has no effect while ORG_CREATION is all.\n"
    )
    entries = AuditEntry.objects.filter(action="account.org_creation").order_by("pk")
    assert [each.after for each in entries] == [
        {"may_create_organizations": True, "by": "command line"},
        {"may_create_organizations": False, "by": "command line"},
    ]


def test_commands_permit_accounts_that_are_known_to_be_the_persons(owner: Actor) -> None:
    email = "guest@here.example"
    join_with_password(digest_of(invite(owner, email, Role.VIEWER).secret), "a password x")
    with pytest.raises(CommandError, match="Add --existing"):
        call_command("allow_creating_orgs", email)
    account = User.objects.get(email=email)
    assert not account.can_create_orgs
    call_command("allow_creating_orgs", email, "--existing")
    account.refresh_from_db()
    assert (account.can_create_orgs, account.proof) == (True, Proof.OPERATOR)
    with pytest.raises(CommandError, match=r"no account of other@here\.example"):
        call_command("allow_creating_orgs", "other@here.example", "--revoke")
    with pytest.raises(CommandError, match="leave out --existing"):
        call_command("allow_creating_orgs", email, "--revoke", "--existing")


def test_the_command_creates_an_account_with_a_password(
    db: None, settings: Any, capsys: Any
) -> None:
    settings.ORG_CREATION = "none"
    call_command("allow_creating_orgs", "new@here.example")
    said = capsys.readouterr().out.splitlines()
    account = User.objects.get()
    assert account.can_create_orgs
    assert account.check_password(said[1].rpartition(" ")[2])
    assert said[0] == "new@here.example may create organizations in the browser."
    assert said[2] == "This has no effect while ORG_CREATION is none."
    with pytest.raises(CommandError, match="not an e-mail address"):
        call_command("allow_creating_orgs", "nobody")


def test_owners_rename_their_organization(owner: Actor, editor: Actor) -> None:
    rename_org(owner, " Acme ")
    rename_org(owner, "Acme")
    org = Organization.objects.get(pk=owner.org.pk)
    assert (org.slug, org.name, owner.org.name) == ("here", "Acme", "Acme")
    entry = AuditEntry.objects.exclude(action="org.create").get()
    assert (entry.action, entry.subject, entry.before, entry.after) == (
        "org.rename",
        "here",
        {"name": "Here"},
        {"name": "Acme"},
    )
    with pytest.raises(NotAllowed):
        rename_org(editor, "Mine")
