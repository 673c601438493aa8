"""Users and groups of workloads: whose they are, and that no submission chooses them freely."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from console.dialects import dialects
from console.dialects.base import JobReading
from console.errors import BadRequest, NotAllowed, NotFound
from console.orgs.identities import NO_IDENTITY, Identity, identity_of
from console.orgs.models import ApiToken, AuditEntry, Membership, Organization, Role
from console.orgs.permissions import Actor
from console.orgs.services.add_member import add_member
from console.orgs.services.authenticate_token import authenticate_token
from console.orgs.services.change_role import change_role
from console.orgs.services.issue_token import create_token, issue_token
from console.orgs.services.remove_member import remove_member
from console.orgs.services.rotate_token import rotate_token
from console.orgs.services.set_identity import set_identity
from console.orgs.tokens import is_working
from console.workloads import read_manifest as manifests
from console.workloads.identified import Identified, NotYourIdentity, identified
from console.workloads.models import Workload
from console.workloads.read_manifest import read_manifest
from console.workloads.services.submit_once import submit_once
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission, read_submissions
from tests.conftest import member

#: The annotation by which YuniKorn's scheduler knew the user of a Pod.
USER_INFO: Final = "yunikorn.apache.org/user.info"
ROOT: Final = '{"user": "root", "groups": ["admin"]}'

WITH_MANIFESTS: Final = [name for name, each in dialects().items() if each.read_job]

REFUSED: Final = "The role submitter may not submit workloads as other users and groups"


def number_of(actor: Actor) -> int:
    return Membership.objects.get(org=actor.org, user=actor.user).pk


def token_with(org: Organization, role: str, *identity: Any) -> Actor:
    """Return the actor of a token as a request authenticates it."""
    token = authenticate_token(issue_token(org, role, "program", identity=Identity(*identity)))
    assert token is not None
    return Actor.from_token(token)


def stated(actor: Actor, user: str = "", *groups: str) -> tuple[str, list[str]]:
    """Submit a workload with *user* and *groups*; return those of the stored workload."""
    (made,) = submit_workloads(actor, [Submission(name="w", user=user, groups=groups)])
    row = Workload.objects.get(pk=made.pk)
    return row.user, row.groups


def errors_of(actor: Actor, *submissions: Submission) -> list[tuple[str, str]]:
    with pytest.raises(NotYourIdentity) as refused:
        submit_workloads(actor, submissions)
    assert not Workload.objects.exists()
    assert (refused.value.status, refused.value.code) == (403, "not_allowed")
    return [(each.path, each.message) for each in refused.value.errors]


@pytest.fixture
def known(owner: Actor, submitter: Actor) -> Actor:
    """Give the submitter two groups."""
    set_identity(owner, number_of(submitter), Identity(groups=("research", "gpu-users")))
    return submitter


def test_a_workload_has_the_user_and_groups_of_the_member_who_submits_it(known: Actor) -> None:
    everything = (known.name, ["research", "gpu-users"])
    assert stated(known) == everything
    assert stated(known, known.name) == everything
    assert stated(known, "", "gpu-users") == (known.name, ["gpu-users"])
    assert stated(known, known.name, "gpu-users") == (known.name, ["gpu-users"])


def test_groups_of_a_workload_have_the_form_of_those_of_a_member() -> None:
    (read,) = read_submissions([{"name": "a", "user": "eve", "groups": [" dev ", "dev", "a, b"]}])
    assert read.groups == ("dev", "a, b")
    with pytest.raises(BadRequest) as refused:
        read_submissions([{"name": "a", "user": "eve", "groups": ["dev\nops"]}])
    assert [(each.path, each.code) for each in refused.value.errors] == [
        ("workloads[0].groups[0]", "invalid_name")
    ]


def test_a_workload_keeps_its_groups(owner: Actor, known: Actor) -> None:
    stated(known)
    set_identity(owner, number_of(known), NO_IDENTITY)
    stated(known)
    rows = Workload.objects.order_by("pk").values_list("groups", flat=True)
    assert list(rows) == [["research", "gpu-users"], []]


def test_each_foreign_user_and_group_is_refused_at_its_place(known: Actor) -> None:
    assert errors_of(
        known,
        Submission(name="own"),
        Submission(name="other", user="root"),
        Submission(name="case", user=known.name.upper()),
        Submission(name="group", groups=("research", "admin")),
    ) == [
        ("workloads[1].user", f"{REFUSED}; leave out the user, or send {known.name}."),
        ("workloads[2].user", f"{REFUSED}; leave out the user, or send {known.name}."),
        (
            "workloads[3].groups[1]",
            f"{REFUSED}; leave out the groups, or send some of research, gpu-users.",
        ),
    ]


@pytest.mark.parametrize(
    "user",
    [
        " submitter@here.example",
        "submitter@here.example ",
        "submitter@here.example\n",
        "Submitter@here.example",
        "submitter@here.example\u200b",
        "\u202esubmitter@here.example",
        "\uff53ubmitter@here.example",
        "\u0455ubmitter@here.example",
        "submitter@here.example,root",
        "submitter",
        " ",
        "*",
        "nobody",
    ],
)
def test_a_similar_user_is_another_one(submitter: Actor, user: str) -> None:
    assert submitter.name == "submitter@here.example"
    hint = "leave out the user, or send submitter@here.example"
    (refused,) = errors_of(submitter, *read_submissions([{"name": "w", "user": user}]))
    assert refused == ("workloads[0].user", f"{REFUSED}; {hint}.")


names = st.sampled_from(["", "ada", "Ada", "ada ", "root", "research", "Research", "admin", "*"])


@given(
    own=st.just(NO_IDENTITY)
    | st.builds(Identity, names.filter(bool), st.lists(names.filter(bool), max_size=3).map(tuple)),
    role=st.sampled_from([Role.SUBMITTER, Role.OPERATOR]),
    stated=st.lists(
        st.builds(
            Submission,
            name=st.just("w"),
            user=names,
            groups=st.lists(names.filter(bool), max_size=3).map(tuple),
        ),
        min_size=1,
        max_size=3,
    ),
)
def test_a_submitter_runs_as_nobody_else(
    own: Identity, role: str, stated: list[Submission]
) -> None:
    token = ApiToken(name="t", role=role, user_name=own.user, groups=list(own.groups))
    actor = Actor(org=Organization(), role=role, name="t", key="token:1", token=token)
    foreign = [
        each
        for each in stated
        if each.user not in ("", own.user) or not set(each.groups) <= set(own.groups)
    ]
    if foreign and role == Role.SUBMITTER:
        with pytest.raises(NotYourIdentity):
            identified(actor, stated)
        return
    found = identified(actor, stated)
    assert bool(found.others) == bool(foreign)
    for before, after in zip(stated, found.submissions, strict=True):
        assert replace(after, user=before.user, groups=before.groups) == before
        assert after.user == (before.user or own.user)
        is_own = after.user == own.user
        assert after.groups == (before.groups or (own.groups if is_own else ()))


def test_groups_end_with_the_membership(owner: Actor, known: Actor) -> None:
    assert known.user is not None
    remove_member(owner, number_of(known))
    add_member(owner.org, known.user, Role.SUBMITTER)
    assert stated(known) == (known.name, [])


def test_only_the_first_hundred_are_listed(submitter: Actor) -> None:
    many = [Submission(name="w", user="root")] * 101
    assert len(errors_of(submitter, *many)) == 100


def test_a_member_without_groups_states_none(submitter: Actor) -> None:
    assert errors_of(submitter, Submission(name="w", groups=("admin",))) == [
        ("workloads[0].groups[0]", f"{REFUSED}; leave out the groups.")
    ]


def test_the_groups_of_another_organization_do_not_count(
    org: Organization, other_org: Organization, submitter: Actor
) -> None:
    assert submitter.user is not None
    Membership.objects.create(org=other_org, user=submitter.user, role=Role.OWNER, groups=["admin"])
    assert stated(submitter) == (submitter.name, [])
    there = Actor.from_user(other_org, submitter.user, Role.OWNER)
    assert stated(there) == (submitter.name, ["admin"])


@pytest.mark.parametrize("role", [Role.OPERATOR, Role.OWNER])
def test_operators_and_owners_submit_for_others(org: Organization, role: str) -> None:
    actor = member(org, role)
    Membership.objects.update(groups=["staff"])
    assert stated(actor) == (actor.name, ["staff"])
    assert stated(actor, "ada", "research") == ("ada", ["research"])
    assert stated(actor, "ada") == ("ada", [])
    assert stated(actor, "", "research") == (actor.name, ["research"])
    service = token_with(org, role)
    assert stated(service) == ("", [])
    assert stated(service, "ada", "research") == ("ada", ["research"])


def test_a_token_has_the_user_that_its_owner_chose(org: Organization) -> None:
    nightly = token_with(org, Role.SUBMITTER, "nightly", ("batch", "evals", "batch"))
    assert stated(nightly) == ("nightly", ["batch", "evals"])
    assert stated(nightly, "nightly", "evals") == ("nightly", ["evals"])
    launcher = token_with(org, Role.OPERATOR, "launcher", ("batch",))
    assert stated(launcher) == ("launcher", ["batch"])
    assert stated(launcher, "ada") == ("ada", [])


def test_a_token_has_no_user_unless_one_was_chosen(org: Organization, owner: Actor) -> None:
    # Its creator is an owner, and the program that has its secret is not the creator.
    token = authenticate_token(create_token(owner, Role.SUBMITTER, "program").secret)
    assert token is not None
    actor = Actor.from_token(token)
    assert identity_of(actor) == NO_IDENTITY
    assert stated(actor) == ("", [])
    Workload.objects.all().delete()
    assert errors_of(actor, Submission(name="w", user=owner.name)) == [
        ("workloads[0].user", f"{REFUSED}; leave out the user.")
    ]


def test_commands_submit_for_others(org: Organization) -> None:
    actor = Actor.from_command(org)
    assert stated(actor) == ("", [])
    assert stated(actor, "ada", "research") == ("ada", ["research"])


def test_an_address_that_is_no_valid_user_is_none(owner: Actor, submitter: Actor) -> None:
    assert submitter.user is not None
    submitter.user.email = f"{'a' * 200}@here.example"
    assert identity_of(submitter) == NO_IDENTITY
    set_identity(owner, number_of(submitter), Identity("ada"))
    assert identity_of(submitter) == Identity("ada")


def test_a_user_of_yunikorn_s_annotation_is_not_trusted(known: Actor) -> None:
    """CVE-2026-92393: the annotation of a Pod named its user, and anyone could write it."""
    own = (known.name, ["research", "gpu-users"])
    tags = {USER_INFO: ROOT, "user": "root", "groups": "admin", "username": "root"}
    sets = [{"requests": {"cpu": 1}, "node_selector": {"user": "root"}}]
    value = {"name": "w", "tags": tags, "namespace": "root", "project": "root", "pod_sets": sets}
    submit_workloads(known, read_submissions([value]))
    for name in WITH_MANIFESTS:
        language = dialects()[name]
        manifest = yaml.safe_load(language.job_sample)
        for place in _metadata(manifest, accepts_annotations=name != "skyshift"):
            place.update(place | {USER_INFO: ROOT, "user": "root", "username": "root"})
        read = read_manifest(language.empty_policy, json.dumps(manifest).encode())
        submit_workloads(known, [read.submission])
    found = Workload.objects.values_list("user", "groups")
    assert list(found) == [own] * (1 + len(WITH_MANIFESTS))


def _metadata(value: Any, *, accepts_annotations: bool) -> list[dict[str, str]]:
    """Return the labels and annotations of the objects in *value*, which are added if absent."""
    found: list[dict[str, str]] = []
    metadata = value.get("metadata")
    if isinstance(metadata, dict):
        found.append(metadata.setdefault("labels", {}))
        if accepts_annotations:
            found.append(metadata.setdefault("annotations", {}))
    for each in value.values():
        if isinstance(each, dict) and each is not metadata:
            found += _metadata(each, accepts_annotations=accepts_annotations)
    return found


def test_a_user_that_a_language_reads_from_a_manifest_is_not_trusted(
    monkeypatch: pytest.MonkeyPatch, operator: Actor
) -> None:
    job = {"name": "w", "user": "root", "groups": ["admin"]}
    language = replace(
        dialects()["skyshift"], read_job=lambda text, policy: JobReading(diagnostics=(), job=job)
    )
    monkeypatch.setattr(manifests, "dialects", lambda: {"skyshift": language})
    read = read_manifest(language.empty_policy, b"")
    assert (read.submission.user, read.submission.groups) == ("", ())
    submit_workloads(operator, [read.submission])
    assert Workload.objects.get().user == operator.name


def test_a_refused_request_does_not_use_up_its_key(submitter: Actor) -> None:
    with pytest.raises(NotYourIdentity):
        submit_once(submitter, "key", [Submission(name="w", user="root")])
    ids = submit_once(submitter, "key", [Submission(name="w")])
    assert submit_once(submitter, "key", [Submission(name="w")]) == ids
    assert Workload.objects.get().user == submitter.name


def test_identified_workloads_are_otherwise_unchanged(known: Actor) -> None:
    one = Submission(name="w", tags={"a": "b"}, priority=5, requests={"gpu": 1000}, project="p")
    own = replace(one, user=known.name, groups=("research", "gpu-users"))
    assert identified(known, [one]) == Identified([own], {})


def recorded(actor: Actor, *submissions: Submission) -> dict[str, Any]:
    """Submit *submissions*; return the values of the audit entry without number and ids."""
    submit_workloads(actor, submissions)
    after = AuditEntry.objects.get(action="workload.submit", actor=actor.name).after
    assert after is not None
    assert (after.pop("count"), len(after.pop("ids"))) == (len(submissions), len(submissions))
    found: dict[str, Any] = after
    return found


def test_the_audit_entry_names_the_others(operator: Actor) -> None:
    assert recorded(
        operator,
        Submission(name="own"),
        Submission(name="as own", user=operator.name, groups=("staff",)),
        Submission(name="ada", user="ada", groups=("research", "staff")),
        Submission(name="ada again", user="ada"),
        Submission(name="bob", user="bob"),
    ) == {"users": ["ada", "bob"], "groups": ["staff", "research"]}


def test_the_audit_entry_of_own_workloads_names_nobody(known: Actor) -> None:
    own = Submission(name="w", user=known.name, groups=("gpu-users",))
    assert recorded(known, Submission(name="w"), own) == {}


def test_the_audit_entry_of_a_launcher_names_its_users(org: Organization) -> None:
    launcher = token_with(org, Role.OPERATOR)
    several = [Submission(name="w", user=f"user-{number}") for number in range(4)]
    assert recorded(launcher, Submission(name="w"), *several) == {
        "users": [f"user-{number}" for number in range(4)]
    }


def test_identities_of_members_are_changed_by_owners_and_recorded(
    owner: Actor, viewer: Actor
) -> None:
    number = number_of(viewer)
    wanted = Identity("ada", (" research ", "gpu-users", "research"))
    changed = set_identity(owner, number, wanted)
    row = Membership.objects.get(pk=number)
    groups = ["research", "gpu-users"]
    assert (row.user_name, row.groups) == (changed.user_name, changed.groups) == ("ada", groups)
    entry = AuditEntry.objects.latest("pk")
    assert (entry.actor, entry.action, entry.kind, entry.subject, entry.before, entry.after) == (
        owner.name,
        "member.identity",
        "member",
        viewer.name,
        {"user": viewer.name, "groups": []},
        {"user": "ada", "groups": groups},
    )
    set_identity(owner, number, wanted)
    assert AuditEntry.objects.filter(action="member.identity").count() == 1
    with pytest.raises(NotAllowed, match="manage members and tokens"):
        set_identity(viewer, number, Identity("root", ("admin",)))
    with pytest.raises(NotFound):
        set_identity(owner, 0, Identity("root", ("admin",)))


def test_a_member_submits_as_the_user_that_an_owner_chose(owner: Actor, submitter: Actor) -> None:
    set_identity(owner, number_of(submitter), Identity("ada"))
    assert stated(submitter) == ("ada", [])
    assert stated(submitter, "ada") == ("ada", [])
    Workload.objects.all().delete()
    assert errors_of(submitter, Submission(name="w", user=submitter.name)) == [
        ("workloads[0].user", f"{REFUSED}; leave out the user, or send ada.")
    ]
    set_identity(owner, number_of(submitter), Identity(submitter.name))
    assert Membership.objects.get(pk=number_of(submitter)).user_name == ""
    assert stated(submitter) == (submitter.name, [])


@pytest.mark.parametrize(
    ("groups", "path", "code"),
    [
        (["research", " "], "groups[1]", "blank"),
        (["x" * 201], "groups[0]", "too_long"),
        (["two\nlines"], "groups[0]", "invalid_name"),
        (["a"] * 101, "groups", "wrong_length"),
    ],
)
def test_invalid_groups_are_refused_at_their_place(
    owner: Actor, viewer: Actor, groups: list[str], path: str, code: str
) -> None:
    def of_token() -> object:
        return create_token(owner, Role.VIEWER, "one", None, Identity("ada", tuple(groups)))

    def of_member() -> object:
        return set_identity(owner, number_of(viewer), Identity("ada", tuple(groups)))

    act: Callable[[], object]
    for act in (of_member, of_token):
        with pytest.raises(BadRequest) as refused:
            act()
        assert [(each.path, each.code) for each in refused.value.errors] == [(path, code)]
    assert not ApiToken.objects.exists()


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("user", "code"),
    [("x" * 201, "too_long"), (" ada", "invalid_name"), ("a\tb", "invalid_name"), ("", "required")],
)
def test_an_invalid_user_is_refused(owner: Actor, viewer: Actor, user: str, code: str) -> None:
    with pytest.raises(BadRequest) as refused:
        create_token(owner, Role.VIEWER, "one", None, Identity(user, ("research",)))
    assert [(each.path, each.code) for each in refused.value.errors] == [("user", code)]
    if code != "required":
        with pytest.raises(BadRequest) as refused:
            set_identity(owner, number_of(viewer), Identity(user))
        assert [(each.path, each.code) for each in refused.value.errors] == [("user", code)]


def test_a_rotated_token_keeps_its_user(owner: Actor) -> None:
    nightly = Identity("nightly", ("batch",))
    old = create_token(owner, Role.SUBMITTER, "one", None, nightly).token
    new = rotate_token(owner, old.pk, old.created_at - old.created_at).token
    assert (new.user_name, new.groups) == ("nightly", ["batch"])
    assert AuditEntry.objects.get(action="token.issue").after == {
        "name": "one",
        "role": "submitter",
        "prefix": old.prefix,
        "expires_at": None,
        "user": "nightly",
        "groups": ["batch"],
    }


@pytest.mark.parametrize(
    ("role", "is_kept"),
    [(Role.OPERATOR, True), (Role.SUBMITTER, False), (Role.EDITOR, False), (Role.VIEWER, False)],
)
def test_a_token_with_a_user_ends_when_its_person_may_not_submit_for_others(
    org: Organization, owner: Actor, role: str, is_kept: bool
) -> None:
    second = member(org, Role.VIEWER)
    change_role(owner, number_of(second), Role.OWNER)
    acting = Actor.from_user(org, second.user, Role.OWNER)
    plain = create_token(acting, Role.VIEWER, "plain").token
    named = create_token(acting, Role.SUBMITTER, "named", None, Identity("ada")).token
    assert change_role(owner, number_of(second), role).tokens.ended == (0 if is_kept else 1)
    for token, is_valid in ((plain, True), (named, is_kept)):
        token.refresh_from_db()
        assert is_working(token) is is_valid
