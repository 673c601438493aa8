"""The commands create_org, create_token and add_member."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from console.orgs.models import ApiToken, Organization, Role, User
from console.orgs.queries import actor_for
from console.orgs.services.authenticate_token import authenticate_token
from tests.product import ROOT


def test_create_org_makes_a_new_owner(db: None, capsys) -> None:
    call_command("create_org", "research", "--owner", "person@research.example")
    found = re.fullmatch(
        r"Created the organization research\.\n"
        r"Created person@research\.example with the password (\S{16})\n",
        capsys.readouterr().out,
    )
    assert found
    person = User.objects.get(email="person@research.example")
    assert person.check_password(found[1])
    assert actor_for(person, "research").role == Role.OWNER


def test_create_org_finds_the_owner_in_any_letter_case(outsider: User, capsys) -> None:
    call_command("create_org", "research", "--owner", outsider.email.upper())
    assert capsys.readouterr().out == (
        "Created the organization research.\n"
        "owner@elsewhere.example is an existing account and keeps its password.\n"
    )
    assert actor_for(outsider, "research").role == Role.OWNER


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["here"], "There is already an organization 'here'."),
        (["here", "--owner", "new@here.example"], "There is already an organization 'here'."),
        (["new", "--owner", "nobody"], "'nobody' is not an e-mail address."),
        (
            ["a b"],
            ("'a b' is not a valid slug; use 1 to 50 letters, digits, hyphens or underscores."),
        ),
    ],
)
def test_create_org_does_all_or_nothing(
    org: Organization, arguments: list[str], message: str
) -> None:
    with pytest.raises(CommandError) as caught:
        call_command("create_org", *arguments)
    assert str(caught.value) == message
    assert list(Organization.objects.values_list("slug", flat=True)) == ["here"]
    assert not User.objects.exists()


def test_create_token_prints_the_secret_alone(org: Organization, capsys) -> None:
    call_command("create_token", "--org", "here", "--role", "operator", "--name", "executor")
    token = authenticate_token(capsys.readouterr().out.removesuffix("\n"))
    assert token is not None
    assert (token.org, token.role, token.name) == (org, "operator", "executor")


def test_create_token_sets_the_user_of_its_workloads(org: Organization) -> None:
    words = ["--user", "nightly", "--group", "batch", "--group", "evals"]
    call_command("create_token", "--org", "here", "--role", "submitter", *words)
    token = ApiToken.objects.get()
    assert (token.user_name, token.groups) == ("nightly", ["batch", "evals"])


@pytest.mark.parametrize(
    ("words", "days"), [([], 90), (["--days", "7"], 7), (["--days", "0"], None)]
)
def test_command_tokens_expire_like_others(
    org: Organization, words: list[str], days: int | None
) -> None:
    before = timezone.now()
    call_command("create_token", "--org", "here", "--role", "viewer", *words)
    ends = ApiToken.objects.get().expires_at
    if days is None:
        assert ends is None
    else:
        assert before <= ends - timedelta(days=days) <= timezone.now()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--org", "nowhere", "--role", "viewer"],
            "There is no organization 'nowhere'; create it with create_org.",
        ),
        (
            ["--org", "here", "--role", "king"],
            "There is no role 'king'; choose one of viewer, submitter, operator, editor, owner.",
        ),
        (
            ["--org", "here", "--role", "viewer", "--name", "x" * 101],
            "A token's name has 1 to 100 characters.",
        ),
        (
            ["--org", "here", "--role", "viewer", "--group", "batch"],
            "Groups are those of a user; give the token a user, too.",
        ),
        (
            ["--org", "here", "--role", "viewer", "--user", "ada\n"],
            "A user has no spaces around it, and no line breaks or control characters.",
        ),
        *(
            (
                ["--org", "here", "--role", "viewer", "--days", days],
                f"--days is {days}; it must be 0 (never expires) to 3650.",
            )
            for days in ("-1", "3651")
        ),
    ],
)
def test_create_token_reports_errors(org: Organization, arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError) as caught:
        call_command("create_token", *arguments)
    assert str(caught.value) == message
    assert not ApiToken.objects.exists()


def test_a_database_without_tables_is_named(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "create_token", "--org", "demo", "--role", "owner"],
        cwd=ROOT,
        env={**os.environ, "SLUICE_HOME": str(tmp_path), "DATABASE_URL": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "CommandError: The database has no tables yet: start the console once with `make run`, "
        "or run `manage.py migrate`.\n"
    )


def test_add_member_sets_and_changes_a_role(org: Organization, capsys) -> None:
    call_command("add_member", "second@example.org", "--org", org.slug, "--role", "owner")
    said = capsys.readouterr().out
    assert re.fullmatch(
        rf"second@example\.org is owner of {org.slug}\.\n"
        r"Created second@example\.org with the password \S{16}\n",
        said,
    )
    person = User.objects.get(email="second@example.org")
    assert person.check_password(said.split()[-1])
    call_command("add_member", "Third@example.org", "--org", org.slug, "--role", "owner")
    capsys.readouterr()
    call_command("add_member", "SECOND@example.org", "--org", org.slug, "--role", "viewer")
    assert capsys.readouterr().out == f"second@example.org is viewer of {org.slug}.\n"
    assert actor_for(person, org.slug).role == Role.VIEWER


def test_add_member_reports_errors(org: Organization) -> None:
    call_command("add_member", "only@example.org", "--org", org.slug, "--role", "owner")
    for arguments, sentence in (
        (
            ["only@example.org", "--org", "nowhere", "--role", "owner"],
            "There is no organization 'nowhere'; create it with create_org.",
        ),
        (
            ["only@example.org", "--org", org.slug, "--role", "king"],
            "There is no role 'king'; choose one of viewer, submitter, operator, editor, owner.",
        ),
        (
            ["only@example.org", "--org", org.slug, "--role", "viewer"],
            "only@example.org is the last owner; give another member the owner role first.",
        ),
        (
            ["no address", "--org", org.slug, "--role", "viewer"],
            "'no address' is not an e-mail address.",
        ),
    ):
        with pytest.raises(CommandError) as refused:
            call_command("add_member", *arguments)
        assert str(refused.value) == sentence
    assert [m.role for m in org.memberships.all()] == ["owner"]
