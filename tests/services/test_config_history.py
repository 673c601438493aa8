"""Config history: changes of each version, blame of lines, and effects of versions."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from console.celery import app
from console.configs import blame
from console.configs.blame import blame_of, blamed_versions
from console.configs.changelog import ChangeSummary, VersionFilter, authors_of, changes_of, read_log
from console.configs.models import ConfigVersion, VersionChange
from console.configs.services import measure_effects as effects
from console.configs.services.apply_config import apply_config
from console.configs.services.measure_effects import measure_effects
from console.configs.services.roll_back import roll_back
from console.configs.stored_changes import decode_detail, encode_detail, load_change
from console.configs.tasks import measure
from console.dialects import dialects
from console.dialects.objects import compare_policies
from console.engine.diff import ChangeKind
from console.errors import BadRequest
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.policies.queries import NO_POLICY, get_version, policy_of
from console.workloads.models import LabelSet, State, Workload

QUEUE = """
  - name: {name}
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{{name: spot, resources: [{{name: gpu, nominal_quota: {gpus}}}]}}]
"""


def text_of(gpus: int = 8, name: str = "research", team: str = "ml") -> str:
    """Return a config of one queue and one rule."""
    return (
        "resource_flavors:\n  - name: spot\nresource_queues:"
        + QUEUE.format(name=name, gpus=gpus)
        + "scheduling_rules:\n"
        + f"  - resource_queue: {name}\n"
        + f"    selector: [{{key: team, operator: in, values: [{team}]}}]\n"
        + "    priority_policy: {max: 100}\n"
    )


@pytest.fixture
def story(org: Organization, owner: Actor) -> Organization:
    """Apply five versions: first, rule change, rename with new quota, comment only, rollback."""
    texts = (
        text_of(),
        text_of(team="web"),
        text_of(gpus=16, name="lab", team="web"),
        "# why\n" + text_of(gpus=16, name="lab", team="web"),
    )
    for number, text in enumerate(texts):
        apply_config(owner, "native", text, f"step {number + 1}", number)
    roll_back(owner, 2, 4)
    return org


def rows(org: Organization, version: int) -> list[tuple[str, str, str, str]]:
    """Return the stored changes of a version."""
    found = VersionChange.objects.filter(org=org, version=version)
    return [(row.kind, row.noun, row.name, row.old_name) for row in found]


def test_an_apply_keeps_what_it_changed(story: Organization) -> None:
    assert [rows(story, number) for number in range(1, 6)] == [
        [
            ("added", "flavor", "spot", ""),
            ("added", "queue", "research", ""),
            ("added", "rule", "0 to research", ""),
        ],
        [("changed", "rule", "0 to research", "")],
        [("renamed", "queue", "lab", "research")],
        [],
        [("renamed", "queue", "research", "lab")],
    ]


@pytest.mark.every_database
def test_the_longest_names_have_room(org: Organization, owner: Actor) -> None:
    apply_config(owner, "native", text_of(name="q" * 500), "", 0)
    apply_config(owner, "native", text_of(name="r" * 500), "", 1)
    found = list(VersionChange.objects.filter(org=org))
    assert max(len(row.name) for row in found) == len("0 to ") + 500
    for row in found:
        # SQLite would store texts that are too long.
        row.clean_fields(exclude=["details", "old_name"])


def test_stored_changes_equal_the_comparison(story: Organization) -> None:
    before = NO_POLICY
    for number in range(1, 6):
        after = policy_of(get_version(story, number))
        stored = [
            load_change(row) for row in VersionChange.objects.filter(org=story, version=number)
        ]
        compared = compare_policies(before, after)
        assert [(c.kind, c.noun, c.name, c.old_name, c.details) for c in stored] == [
            (c.kind, c.noun, c.name, c.old_name, c.details) for c in compared
        ]
        before = after


def test_every_detail_of_every_sample_survives_being_stored() -> None:
    for dialect in dialects().values():
        read = [dialect.read(text, {}).policy for text in dialect.samples().values()]
        policies = [NO_POLICY, *(policy for policy in read if policy is not None)]
        details = [
            detail
            for old in policies
            for new in policies
            for change in compare_policies(old, new)
            for detail in change.details
        ]
        assert details
        stored = json.loads(json.dumps([encode_detail(detail) for detail in details]))
        assert [decode_detail(each) for each in stored] == details


def test_the_clock_measures_effects(org: Organization, owner: Actor) -> None:
    version = apply_config(owner, "native", text_of(), "", 0)
    ConfigVersion.objects.filter(pk=version.pk).update(created_at=NOON)
    assert "console.configs.tasks.measure" in {
        entry["task"] for entry in app.conf.beat_schedule.values()
    }
    measure()
    version.refresh_from_db()
    assert version.effect["after"]["submitted"] == 0


def numbers(
    org: Organization, limit: int = 20, cursor: str | None = None, **query: str
) -> list[int]:
    """Return the numbers of the versions that match a query."""
    log = read_log(org, VersionFilter.from_query(QueryDict(urlencode(query))), limit, cursor)
    return [version.number for version in log.page.results]


def test_versions_by_what_they_changed(story: Organization, other_org: Organization) -> None:
    assert numbers(story) == [5, 4, 3, 2, 1]
    assert numbers(story, noun="flavor") == [1]
    assert numbers(story, noun="queue", name="lab") == [5, 3, 1]
    assert numbers(story, noun="queue", name="research") == [5, 3, 1]
    assert numbers(story, noun="rule", name="research") == [2, 1]
    assert numbers(story, noun="rule") == [2, 1]
    assert numbers(story, name="spot") == [1]
    assert numbers(story, name="nothing") == []
    assert numbers(story, kind="rollback") == [5]
    assert numbers(story, kind="apply") == [4, 3, 2, 1]
    assert numbers(story, kind="timer") == []
    assert numbers(story, author="owner@here.example", noun="queue") == [5, 3, 1]
    assert numbers(story, author="nobody") == []
    assert numbers(other_org) == []
    assert authors_of(story) == ["owner@here.example"]


def test_a_renamed_object_is_followed_back(story: Organization) -> None:
    assert read_log(story, VersionFilter(noun="queue", name="lab"), 20).old_names == ("research",)


@pytest.mark.parametrize(
    ("query", "path", "code"),
    [
        ("kind=strange", "kind", "invalid_choice"),
        ("noun=strange", "noun", "invalid_choice"),
        ("author=%00", "author", "invalid_text"),
        (f"name={'x' * 501}", "name", "invalid_text"),
    ],
)
def test_a_strange_filter_is_refused(query: str, path: str, code: str) -> None:
    with pytest.raises(BadRequest) as refused:
        VersionFilter.from_query(QueryDict(query))
    assert [(each.path, each.code) for each in refused.value.errors] == [(path, code)]


def test_pages_of_versions_follow_each_other(story: Organization) -> None:
    first = read_log(story, VersionFilter(), 2)
    assert [version.number for version in first.page.results] == [5, 4]
    assert numbers(story, 2, first.page.next) == [3, 2]
    assert read_log(story, VersionFilter(), 5).page.next is None


def test_a_page_tells_the_first_changes_and_counts_all(story: Organization) -> None:
    found = changes_of(story, [1, 4], 2)
    assert [(change.kind, change.name) for change in found[1].changes] == [
        (ChangeKind.ADDED, "spot"),
        (ChangeKind.ADDED, "research"),
    ]
    assert (found[1].total, found[4]) == (3, ChangeSummary())


def test_a_page_of_history_asks_a_handful_of_queries(story: Organization) -> None:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        read_log(story, VersionFilter(), 20)
    assert len(queries) == 3


def test_each_line_has_the_version_that_last_changed_it(story: Organization, owner: Actor) -> None:
    fourth = get_version(story, 4)
    found = blame_of(story, fourth)
    assert found.is_whole
    told = dict(zip(fourth.text.splitlines(), found.lines, strict=True))
    assert told["# why"] == 4
    assert told["  - name: spot"] == 1
    assert told["  - name: lab"] == told["  - resource_queue: lab"] == 3
    assert [number for line, number in told.items() if "nominal_quota" in line] == [3]
    assert [number for line, number in told.items() if "[web]" in line] == [2]
    assert {version.message for version in blamed_versions(story, found).values()} == {
        "step 1",
        "step 2",
        "step 3",
        "step 4",
    }


def test_blame_says_when_it_stopped_looking(
    story: Organization, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blame, "MOST_LINES", 60)
    sixth = apply_config(owner, "native", "# more\n" + text_of(), "step 6", 5)
    found = blame_of(story, sixth)
    assert not found.is_whole
    assert found.lines[0] == 6
    assert set(found.lines) == {6, 5, None}
    assert found.since == 4


NOON = datetime(2026, 1, 10, 12, tzinfo=UTC)


def submit(
    org: Organization, hours: float, wait: float | None, state: str, ended: float | None = None
) -> None:
    """Write a workload submitted and *ended* hours after noon, admitted after *wait* seconds."""
    labels, _ = LabelSet.objects.get_or_create(org=org, digest="x", defaults={"labels": {}})
    at = NOON + timedelta(hours=hours)
    Workload.objects.create(
        org=org,
        name="w",
        type="job",
        label_set=labels,
        submitted_at=at,
        admitted_at=None if wait is None else at + timedelta(seconds=wait),
        ended_at=None if ended is None else NOON + timedelta(hours=ended),
        state=state,
        submitted_by="user:1",
    )


def test_the_effect_of_a_version_is_written_once_its_day_is_over(
    org: Organization, other_org: Organization, owner: Actor
) -> None:
    version = apply_config(owner, "native", text_of(), "", 0)
    ConfigVersion.objects.filter(pk=version.pk).update(created_at=NOON)
    for seconds in range(1, 21):
        submit(org, -1, float(seconds), State.FINISHED)
    submit(org, -25, 5000.0, State.FINISHED)
    submit(org, 0, 2.0, State.ADMITTED)
    submit(org, 23.8, None, State.REJECTED, 23.9)
    submit(org, 5, None, State.PENDING)
    submit(org, 24, 5000.0, State.ADMITTED)
    submit(other_org, 1, 5000.0, State.ADMITTED)

    assert measure_effects(NOON + timedelta(hours=23)) == 0
    version.refresh_from_db()
    assert version.effect is None

    assert measure_effects(NOON + timedelta(hours=24)) == 1
    version.refresh_from_db()
    written = version.effect
    assert written == {
        "before": {
            "submitted": 20,
            "admitted": 20,
            "rejected": 0,
            "wait_p50": 10.0,
            "wait_p95": 19.0,
            "is_whole": True,
        },
        "after": {
            "submitted": 3,
            "admitted": 1,
            "rejected": 1,
            "wait_p50": 2.0,
            "wait_p95": 2.0,
            "is_whole": True,
        },
        "other_versions": 0,
    }

    submit(org, 1, 9.0, State.ADMITTED)
    assert measure_effects(NOON + timedelta(hours=30)) == 0
    version.refresh_from_db()
    assert version.effect == written


def test_later_transitions_do_not_count_for_the_day(org: Organization, owner: Actor) -> None:
    version = apply_config(owner, "native", text_of(), "", 0)
    ConfigVersion.objects.filter(pk=version.pk).update(created_at=NOON)
    # One admitted within the version's day, one an hour after it.
    submit(org, -2, 3600.0, State.FINISHED)
    submit(org, -2, 3 * 3600.0, State.FINISHED)
    submit(org, 23, 60.0, State.ADMITTED)
    submit(org, 23, 2 * 3600.0, State.ADMITTED)
    # Rejected before the version, under it, and after its day.
    submit(org, -2, None, State.REJECTED, -1)
    submit(org, -2, None, State.REJECTED, 0.5)
    submit(org, 23, None, State.REJECTED, 24)
    measure_effects(NOON + timedelta(days=7))
    version.refresh_from_db()
    told = [
        {key: day[key] for key in ("submitted", "admitted", "rejected", "wait_p95")}
        for day in (version.effect["before"], version.effect["after"])
    ]
    assert told == [
        {"submitted": 4, "admitted": 1, "rejected": 1, "wait_p95": 3600.0},
        {"submitted": 3, "admitted": 1, "rejected": 1, "wait_p95": 60.0},
    ]


def test_an_effect_looks_at_the_workloads_nearest_to_the_version(
    org: Organization, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effects, "MOST_WORKLOADS", 2)
    version = apply_config(owner, "native", text_of(), "", 0)
    apply_config(owner, "native", text_of(team="web"), "", 1)
    ConfigVersion.objects.filter(org=org).update(created_at=NOON)
    for hours in (-3, -2, -1):
        submit(org, hours, -hours, State.FINISHED)
    assert measure_effects(NOON + timedelta(days=2)) == 2
    version.refresh_from_db()
    assert version.effect["before"] == {
        "submitted": 2,
        "admitted": 2,
        "rejected": 0,
        "wait_p50": 1.0,
        "wait_p95": 2.0,
        "is_whole": False,
    }
    assert version.effect["other_versions"] == 1
