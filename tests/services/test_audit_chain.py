"""The chain of audit entries: changes, losses and insertions of sealed entries are detected."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.orgs.audit import record
from console.orgs.chain import facts_of
from console.orgs.models import AuditChain, AuditEntry, Organization
from console.orgs.permissions import Actor
from console.orgs.services import forget_audit as forgetting
from console.orgs.services import seal_audit as sealing
from console.orgs.services import verify_audit as verifying
from console.orgs.services.create_org import create_org
from console.orgs.services.forget_audit import forget_audit
from console.orgs.services.seal_audit import seal_audit
from console.orgs.services.verify_audit import (
    Break,
    NotAnExport,
    Verified,
    verify_lines,
    verify_org,
)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "BATCH", 3)
    monkeypatch.setattr(forgetting, "BATCH", 3)
    monkeypatch.setattr(verifying, "_ROWS", 3)


def hold(org: Organization, count: int) -> None:
    for number in range(count):
        record(Actor.from_command(org), "queue.hold", kind="queue", subject=f"q{number}")


@pytest.fixture
def chained(org: Organization) -> Organization:
    """Return an organization with ten sealed entries; the first is about its creation."""
    hold(org, 9)
    assert seal_audit() == 10
    return org


def numbers(org: Organization) -> list[int | None]:
    return list(AuditEntry.objects.filter(org=org).order_by("pk").values_list("number", flat=True))


def lines(org: Organization) -> list[dict]:
    """Return the lines of an export, newest first."""
    rows = AuditEntry.objects.filter(org=org).order_by("-pk")
    texts = [json.dumps({**facts_of(row), "digest": row.digest}) for row in rows]
    return [json.loads(text) for text in texts]


def test_every_entry_gets_its_place_once(chained: Organization) -> None:
    assert numbers(chained) == list(range(1, 11))
    before = list(AuditEntry.objects.values_list("pk", "number", "digest"))
    hold(chained, 2)
    assert verify_org(chained).unsealed == 2
    assert seal_audit() == 2
    assert seal_audit() == 0
    assert numbers(chained) == list(range(1, 13))
    kept = AuditEntry.objects.filter(pk__in=[pk for pk, _, _ in before])
    assert list(kept.values_list("pk", "number", "digest")) == before
    head = AuditEntry.objects.get(org=chained, number=12).digest
    assert verify_org(chained, [10]) == Verified(
        first=1,
        last=12,
        digest=head,
        unsealed=0,
        broken=None,
        digests={10: AuditEntry.objects.get(number=10).digest},
    )


def test_organizations_have_chains_of_their_own(org: Organization, other_org: Organization) -> None:
    hold(org, 1)
    hold(other_org, 2)
    assert seal_audit() == 5
    assert (numbers(org), numbers(other_org)) == ([1, 2], [1, 2, 3])
    assert verify_org(org).broken is None
    assert verify_org(other_org).broken is None


def test_many_organizations_are_sealed_by_as_many_statements_as_one(
    org: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "BATCH", 100)
    orgs = [org, *(create_org(f"lab-{number}", "Lab", owner=None) for number in range(9))]
    seal_audit()
    asked = []
    for some in (orgs[:1], orgs):
        for each in some:
            hold(each, 2)
        with CaptureQueriesContext(connection) as statements:
            assert seal_audit() == 2 * len(some)
        asked.append(len(statements))
    assert asked[0] == asked[1]
    assert [verify_org(each).broken for each in orgs] == [None] * 10


def test_an_entry_committed_late_follows_those_sealed_before(chained: Organization) -> None:
    late = AuditEntry.objects.create(
        pk=-1, org=chained, action="queue.hold", kind="queue", actor="late", actor_key="command"
    )
    assert seal_audit() == 1
    late.refresh_from_db()
    assert late.number == 11
    assert verify_org(chained).broken is None
    found = verify_lines(lines(chained))
    assert (found.last, found.broken) == (11, None)


@pytest.mark.parametrize(
    "change",
    [
        {"subject": "another"},
        {"actor": "somebody"},
        {"after": {"reason": "made up"}},
        {"before": {}},
        {"created_at": timezone.now() + timedelta(microseconds=1)},
        {"ip": "203.0.113.9"},
        {"digest": "0" * 64},
    ],
)
def test_a_changed_entry_breaks_the_chain(chained: Organization, change: dict) -> None:
    AuditEntry.objects.filter(org=chained, number=6).update(**change)
    found = verify_org(chained)
    assert (found.last, found.broken) == (5, Break.CHANGED)
    found = verify_lines(lines(chained))
    assert (found.last, found.broken) == (5, Break.CHANGED)


@pytest.mark.parametrize("gone", [1, 6, 10])
def test_a_lost_entry_breaks_the_chain(chained: Organization, gone: int) -> None:
    AuditEntry.objects.filter(org=chained, number=gone).delete()
    found = verify_org(chained)
    assert (found.last, found.broken) == (gone - 1, Break.MISSING)


def test_a_chain_whose_end_was_cut_off_with_its_head_is_known_by_a_head_noted_before(
    chained: Organization,
) -> None:
    noted = verify_org(chained)
    AuditEntry.objects.filter(org=chained, number__gt=8).delete()
    eighth = AuditEntry.objects.get(number=8)
    AuditChain.objects.update(number=8, digest=eighth.digest)
    found = verify_org(chained, [noted.last])
    assert (found.broken, found.digests) == (None, {})


def test_the_chain_verifies_after_old_entries_are_deleted(
    chained: Organization,
) -> None:
    # Seal them at that time, because the time is part of the digests.
    AuditChain.objects.all().delete()
    AuditEntry.objects.update(number=None, digest="", created_at=timezone.now() - timedelta(40))
    hold(chained, 3)
    seal_audit()
    assert forget_audit(0) == 0
    assert forget_audit(41) == 0
    assert forget_audit(39) == 10
    assert forget_audit(39) == 0
    found = verify_org(chained, [10])
    assert (found.first, found.last, found.broken) == (11, 13, None)
    assert list(found.digests) == [10]
    hold(chained, 1)
    seal_audit()
    assert verify_org(chained).last == 14


def test_an_export_verifies_without_a_database(chained: Organization) -> None:
    every = lines(chained)
    whole = verify_lines(every)
    assert (whole.first, whole.last, whole.broken) == (1, 10, None)
    assert whole.digest == verify_org(chained).digest
    assert verify_lines(reversed(every)) == whole
    newest = verify_lines(every[:4])
    assert (newest.first, newest.last, newest.broken) == (8, 10, None)
    filtered = verify_lines([*every[:2], *every[4:]])
    assert (filtered.last, filtered.broken) == (6, Break.MISSING)
    hold(chained, 1)
    assert verify_lines(lines(chained)).unsealed == 1
    for wrong in ([1], [{}], [{"number": "1", "digest": ""}], [{"number": 1}]):
        with pytest.raises(NotAnExport):
            verify_lines(wrong)


def test_concurrent_seals_keep_the_chain_valid(
    race: Callable[[Callable[[int], object]], list[object]],
) -> None:
    org = create_org("here", "Here", owner=None)

    def racer(number: int) -> None:
        for _ in range(5):
            hold(org, 2)
            seal_audit()

    assert race(racer) == [None] * 6
    seal_audit()
    assert sorted(n or 0 for n in numbers(org)) == list(range(1, 62))
    assert verify_org(org).broken is None
    connection.close()


def run(**options: object) -> tuple[str, int]:
    out = StringIO()
    try:
        call_command("verify_audit", stdout=out, **options)
    except SystemExit as end:
        return out.getvalue(), int(end.code or 0)
    return out.getvalue(), 0


def test_the_command_prints_its_findings(chained: Organization, tmp_path: Path) -> None:
    head = f"10:{verify_org(chained).digest}"
    said = "10 entries are unchanged: numbers 1 to 10.\n"
    assert run(org="here") == (f"{said}Head: {head}\n", 0)
    assert run(org="here", head=head) == (f"{said}Head: {head}\n", 0)
    wrong = f"10:{'0' * 64}"
    assert run(org="here", head=wrong) == (
        f"Entry 10 differs from the entry of {wrong}.\n",
        1,
    )
    file = tmp_path / "export.ndjson"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines(chained)))
    assert run(file=file) == (f"{said}Head: {head}\n", 0)
    AuditEntry.objects.filter(number=6).update(actor="somebody")
    assert run(org="here") == (
        (
            "5 entries are unchanged: numbers 1 to 5.\nEntry 6, or one before it, was changed; "
            "later entries were not verified.\n"
        ),
        1,
    )
    file.write_text("{}\n")
    for options, sentence in (
        ({"file": file}, "is not an NDJSON export of audit entries: line 1."),
        ({"file": tmp_path / "none"}, "cannot be read: No such file or directory."),
        ({"org": "nowhere"}, "There is no organization 'nowhere'."),
        ({"org": "here", "head": "ten"}, "--head is 'ten'; write it as NUMBER:DIGEST."),
    ):
        with pytest.raises(CommandError) as caught:
            run(**options)
        assert str(caught.value).endswith(sentence)
