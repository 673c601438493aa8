"""Table partitions: placement of rows, later migrations, and retention by dropping partitions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, models
from django.utils import timezone

from console.bulk import insert_objects
from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.policies.queries import active_policy
from console.retention.models import Forgotten, Kind
from console.retention.partitions.catalogue import Part, parts_of
from console.retention.partitions.convert_tables import convert_tables
from console.retention.partitions.create_ahead import create_ahead
from console.retention.partitions.drop_expired import drop_expired
from console.retention.partitions.schema_lock import Busy
from console.retention.partitions.tables import NUMBERED, TIMED
from console.series.coverage import floor_minute
from console.series.models import Sampler, SeriesPoint, Step, Tally
from console.series.services.forget_series import forget_series
from console.series.tallies import tally
from console.workloads.models import Decision, Event, LabelSet, Workload
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.forget_events import forget_events
from console.workloads.services.forget_workloads import forget_workloads
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission
from console.workloads.transitions import Transition, TransitionKind
from tests.services.test_forget_workloads import CONFIG, Settle

pytestmark = [
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has no partitions"),
    pytest.mark.skipif("PARTITIONED" in os.environ, reason="begins with tables that are whole"),
]

DECISIONS, EVENTS = NUMBERED
TALLIES, MINUTES, HOURS = TIMED
ROWS = 10


@pytest.fixture(autouse=True)
def _in_tens(settings: Any) -> None:
    settings.PARTITION_ROWS = ROWS


@pytest.fixture
def now() -> datetime:
    return timezone.now()


def event(org: Organization, days: float = 0) -> Event:
    """Return an event of *days* ago."""
    at = timezone.now() - timedelta(days=days)
    return Event.objects.create(org=org, type="CONFIG_UPDATED", actor="somebody", created_at=at)


def start_at(*numbers: int) -> None:
    """Restart the id sequences of decisions and events at *numbers*."""
    with connection.cursor() as cursor:
        for each, number in zip(NUMBERED, numbers, strict=True):
            cursor.execute(
                "SELECT setval(pg_get_serial_sequence(%s, 'id'), %s, %s)",
                [each.table, max(number - 1, 1), number > 1],
            )


def edges(parts: list[Part[Any]]) -> list[tuple[Any, Any]]:
    return [(part.since, part.until) for part in parts]


def place_of(row: models.Model) -> str:
    """Return the name of the partition that contains a row."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT tableoid::regclass::text FROM {row._meta.db_table} WHERE id = %s",  # noqa: S608
            [row.pk],
        )
        return cursor.fetchone()[0]


def shape(table: str) -> tuple[dict[str, Any], list[Any]]:
    """Return the indexes and constraints of a table by name, and its columns."""
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, table)
        columns = connection.introspection.get_table_description(cursor, table)
    # The definition of an index shows whether it belongs to one partition only.
    named = {name: {**each, "definition": None} for name, each in found.items()}
    return named, [(each.name, each.type_code, each.null_ok) for each in columns]


def test_tables_keep_their_rows_names_and_keys(org: Organization, now: datetime) -> None:
    start_at(41, 41)
    before = [event(org), event(org)]
    tables = [each.table for each in NUMBERED]
    shapes = {table: shape(table) for table in tables}
    samples = {table: shape(table) for table in (TALLIES.table, "series_seriespoint")}
    assert convert_tables(now) == [*tables, *samples]
    assert convert_tables(now) == []
    assert {table: shape(table) for table in tables} == shapes
    for table, was in samples.items():
        (found, columns), (had, had_columns) = shape(table), was
        primary = f"{table}_pkey"
        key = ["start"] if table == TALLIES.table else ["step", "start"]
        assert found.pop(primary)["columns"] == [*had.pop(primary)["columns"], *key]
        assert (found, columns) == (had, had_columns)
    after = event(org)
    assert [row.pk for row in (*before, after)] == [41, 42, 43]
    assert list(Event.objects.order_by("pk")) == [*before, after]
    assert edges(parts_of(EVENTS)) == [(None, 50), (50, None)]
    assert {place_of(row) for row in (*before, after)} == {"workloads_event_part_first"}


def test_no_foreign_key_refers_to_a_partitioned_table() -> None:
    """A key to a sample would need more columns than its id; others would block drops."""
    assert [
        relation
        for model in (Decision, Event, Tally, SeriesPoint)
        for relation in model._meta.related_objects
    ] == []


def test_partitions_are_made_ahead_and_rows_find_theirs(org: Organization, now: datetime) -> None:
    start_at(41, 41)
    convert_tables(now)
    assert create_ahead(now) == 5
    assert create_ahead(now) == 0
    assert edges(parts_of(EVENTS)) == [(None, 50), (50, 60), (60, None)]
    rows = Event.objects.bulk_create(
        Event(org=org, type="CONFIG_UPDATED", actor=f"a{number}") for number in range(45)
    )
    assert [row.pk for row in rows] == list(range(41, 86))
    assert place_of(rows[10]) == "workloads_event_part_50"
    # No partition was created for a while: the last one has rows, and is split after them.
    assert create_ahead(now) == 2
    assert edges(parts_of(EVENTS)) == [(None, 50), (50, 60), (60, 90), (90, 100), (100, None)]
    assert place_of(rows[-1]) == "workloads_event_part_60"
    assert list(Event.objects.filter(org=org).order_by("pk")) == rows


def test_bulk_writes_of_the_worker_still_work(
    org: Organization, owner: Actor, settle: Settle, now: datetime
) -> None:
    start_at(5, 5)
    convert_tables(now)
    create_ahead(now)
    apply_config(owner, "native", CONFIG, "", 0)
    wanted = Submission(name="one", type="job", tags={"team": "a"}, requests={"gpu": 2000})
    rows = submit_workloads(owner, [wanted] * 2)
    settle(org)
    finish_workloads(owner, [row.uid for row in rows])
    settle(org)
    assert list(Decision.objects.values_list("outcome", flat=True)) == ["admitted"] * 2
    insert_objects([Event(org=org, type="CONFIG_UPDATED", actor="x") for _ in range(30)]).run()
    assert Event.objects.filter(actor="x").count() == 30
    earlier = floor_minute(now - timedelta(hours=3))
    for _ in range(2):
        tally(
            org.pk, earlier, [Transition(TransitionKind.SUBMITTED, "train")], active_policy(org)
        ).run()
    counted = Tally.objects.filter(start=earlier).order_by("kind").values_list("kind", "count")
    assert list(counted) == [("org", 2), ("queue", 2)]
    point = SeriesPoint(
        org=org, kind="org", name="", step=Step.MINUTE, start=now, minutes=1, running=1,
        running_peak=1, pending=0, pending_peak=0, cells=[], demand={}, tightest=0,
    )  # fmt: skip
    for running in (1, 7):
        point.running = running
        SeriesPoint.objects.bulk_create(
            [point],
            update_conflicts=True,
            unique_fields=["org", "kind", "name", "step", "start"],
            update_fields=["running"],
        )
    assert list(SeriesPoint.objects.values_list("running", flat=True)) == [7]


@pytest.mark.parametrize("model", [Decision, Event, Tally, SeriesPoint])
def test_later_migrations_change_what_is_partitioned(
    org: Organization, now: datetime, model: type[models.Model]
) -> None:
    if model is Event:
        event(org)
    convert_tables(now)
    create_ahead(now)
    # Django's checks of foreign keys at the end of a migration.
    connection.check_constraints()
    table = model._meta.db_table
    before = shape(table)
    added, wide, wider = (models.IntegerField(default=7), *map(_text, (20, 40)))
    for field, name in ((added, "added"), (wide, "words"), (wider, "words")):
        field.set_attributes_from_name(name)
        field.model = model
    index = models.Index(fields=["org", "-id"], name="a_new_index")
    with connection.schema_editor() as editor:
        editor.add_field(model, added)
        editor.add_field(model, wide)
        editor.alter_field(model, wide, wider)
        editor.add_index(model, index)
        found = shape(table)
        editor.remove_index(model, index)
        editor.remove_field(model, added)
        editor.remove_field(model, wider)
    assert found[0].keys() - before[0].keys() == {"a_new_index"}
    assert [name for name, *_ in found[1]][-2:] == ["added", "words"]
    assert shape(table) == before


def _text(length: int) -> models.CharField[str, str]:
    return models.CharField(max_length=length, default="")


def test_events_go_with_their_partition_and_nothing_else_does(
    org: Organization, other_org: Organization, now: datetime
) -> None:
    start_at(1, 1)
    convert_tables(now)
    old = [event(each, 95) for each in (org, org, other_org)]
    create_ahead(now)
    start_at(1, 10)
    kept = [event(org, 95), event(org, 89)]
    start_at(1, 20)
    event(org, 1)
    create_ahead(now)
    # The remaining rows of a partition delay its drop by whole weeks.
    assert forget_events(90) == 0
    assert drop_expired(now) == 1
    assert drop_expired(now) == 0
    assert parts_of(EVENTS)[0].name == "workloads_event_part_10"
    assert not Event.objects.filter(pk__in=[row.pk for row in old]).exists()
    assert set(kept) < set(Event.objects.all())
    told = Forgotten.objects.filter(kind=Kind.EVENTS).order_by("org")
    assert list(told.values_list("org", "rows")) == [(org.pk, 2), (other_org.pk, 1)]
    Event.objects.filter(pk=kept[0].pk).update(created_at=now - timedelta(days=98))
    assert forget_events(90) == 1
    assert Event.objects.order_by("pk").first() == kept[1]


def test_a_partition_that_may_still_be_written_to_is_kept(org: Organization, now: datetime) -> None:
    start_at(1, 1)
    convert_tables(now)
    event(org, 95)
    start_at(1, 10)
    # No later partition has existed for long enough.
    assert drop_expired(now) == 0
    event(org)
    assert drop_expired(now) == 0
    Event.objects.filter(pk=10).update(created_at=now - timedelta(hours=2))
    assert drop_expired(now) == 1


def test_unlimited_retention_drops_nothing(org: Organization, now: datetime, settings: Any) -> None:
    settings.EVENT_RETENTION_DAYS = settings.WORKLOAD_RETENTION_DAYS = 0
    start_at(1, 1)
    convert_tables(now)
    event(org, 4000)
    start_at(1, 10)
    event(org, 3000)
    assert drop_expired(now) == 0


def test_decisions_go_once_every_workload_of_theirs_may(org: Organization, now: datetime) -> None:
    start_at(1, 1)
    convert_tables(now)
    labels = LabelSet.objects.create(org=org, digest="x", labels={})
    ended = now - timedelta(days=370)
    rows = [
        Workload.objects.create(
            org=org,
            name=f"w{number}",
            type="job",
            label_set=labels,
            state=state,
            submitted_at=ended,
            ended_at=end,
        )
        for number, (state, end) in enumerate([("finished", ended), ("admitted", None)])
    ]
    for number in (0, 1, 0):
        _decide(rows[number], ended)
    start_at(10, 1)
    _decide(rows[1], now - timedelta(days=2))
    create_ahead(now)
    assert drop_expired(now) == 0
    # Rows that wait for the rest of their partition are deleted individually a week later.
    assert forget_workloads(365) == 0
    rows[1].ended_at, rows[1].state = now - timedelta(days=366), "finished"
    rows[1].save()
    assert drop_expired(now) == 1
    assert list(Decision.objects.values_list("pk", flat=True)) == [10]
    assert list(Forgotten.objects.values_list("kind", "rows")) == [(Kind.DECISIONS, 3)]
    assert Workload.objects.count() == 2
    assert forget_workloads(358) == 2
    assert not Decision.objects.exists()


def _decide(workload: Workload, at: datetime) -> None:
    Decision.objects.create(
        org=workload.org, workload=workload, outcome="admitted", reason="quota_reserved",
        config_version=1, trace={}, created_at=at,
    )  # fmt: skip


def test_samples_go_by_time_once_they_are_rolled_up(org: Organization, settings: Any) -> None:
    now = datetime(2026, 5, 20, 12, tzinfo=UTC)
    starts = [now - timedelta(days=days) for days in (5, 3, 1, 0)]
    for start in starts:
        Tally.objects.create(
            org=org, kind="org", name="", start=start, what="admitted", bucket=1, count=1
        )
    for step, days in ((Step.MINUTE, 5), (Step.MINUTE, 0), (Step.HOUR, 60), (Step.DAY, 900)):
        SeriesPoint.objects.create(
            org=org, kind="org", name="", step=step, start=now - timedelta(days=days), minutes=1,
            running=1, running_peak=1, pending=0, pending_peak=0, cells=[], demand={}, tightest=0,
        )  # fmt: skip
    Sampler.objects.create(org=org, minute=now, rolled_until=starts[1])
    convert_tables(now)
    create_ahead(now)
    assert list(Tally.objects.order_by("start").values_list("start", flat=True)) == starts
    days = [part.until for part in parts_of(TALLIES)]
    assert days == [datetime(2026, 5, day, tzinfo=UTC) for day in range(16, 23)] + [None]
    # Two days of tallies, three of points, twice ten days of hours; one day is not rolled up.
    assert drop_expired(now) == 7
    assert list(Tally.objects.order_by("start").values_list("start", flat=True)) == starts[1:]
    Sampler.objects.update(rolled_until=now)
    assert drop_expired(now) == 1
    left = Tally.objects.order_by("start").values_list("start", flat=True)
    assert list(left) == starts[2:]
    assert list(SeriesPoint.objects.order_by("start").values_list("step", flat=True)) == [
        Step.DAY,
        Step.MINUTE,
    ]
    # Day rows are few: they are deleted individually, like rows in a partition that cannot go.
    assert forget_series(now) == 1
    assert SeriesPoint.objects.count() == 1


@contextmanager
def reading(table: str) -> Iterator[None]:
    """Read *table* in an open transaction of another connection."""
    parameters = connection.get_connection_params()
    parameters.pop("cursor_factory", None)
    parameters.pop("context", None)
    with psycopg.connect(**parameters) as other:
        other.execute(f"LOCK TABLE {table} IN ACCESS SHARE MODE")
        yield


def test_partitions_in_use_are_handled_the_next_time(
    org: Organization, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_at(1, 1)
    convert_tables(now)
    event(org, 95)
    start_at(1, 10)
    event(org, 94)

    def busy(table: str) -> Any:
        raise Busy(table)

    with monkeypatch.context() as patch:
        patch.setattr("console.retention.partitions.drop_expired.schema_lock", busy)
        patch.setattr("console.retention.partitions.create_ahead.schema_lock", busy)
        assert (drop_expired(now), create_ahead(now)) == (0, 0)
    assert not Forgotten.objects.exists()
    assert drop_expired(now) == 1
    assert create_ahead(now) > 0


def test_the_command_says_what_it_did(
    db: None, capsys: pytest.CaptureFixture[str], settings: Any
) -> None:
    call_command("partition")
    assert capsys.readouterr().out == (
        "workloads_decision is partitioned.\n"
        "workloads_event is partitioned.\n"
        "series_tally is partitioned.\n"
        "series_seriespoint is partitioned.\n"
    )
    call_command("partition")
    assert capsys.readouterr().out == "All tables are partitioned already.\n"
    settings.PARTITION_ROWS = 0
    with pytest.raises(
        CommandError, match=r"^PARTITION_ROWS, the number of rows of a partition, is not set"
    ):
        call_command("partition")


def test_a_table_that_is_in_use_is_left_for_later(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.retention.partitions.convert_tables._PATIENCE", 50)
    with reading("workloads_decision"), pytest.raises(CommandError) as caught:
        call_command("partition")
    assert str(caught.value) == "The tables are in use; stop Sluice first."
    assert not parts_of(DECISIONS)


def test_unpartitioned_tables_are_left_alone(org: Organization, now: datetime) -> None:
    event(org, 100)
    assert create_ahead(now) == 0
    assert drop_expired(now) == 0
    assert [parts_of(each) for each in (*NUMBERED, *TIMED)] == [[]] * 5
    assert Event.objects.count() == 1
