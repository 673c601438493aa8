"""
Migrations keep the previous version running: it uses the same tables meanwhile.

Tables that a migration creates itself are not in use yet, so the initial migrations satisfy the
same rules as all later ones.
"""

from __future__ import annotations

from functools import cache

import pytest
from django.apps import apps
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.migration import Migration
from django.db.migrations.state import ModelState, ProjectState
from django.db.models.functions import Now, Random, Upper

from console.migrating.operations import AddIndexConcurrently
from tests.architecture.migration_rules import complaints

#: Migrations that were reviewed by hand, by `app.name`: why they hold no lock for long, and why
#: both versions work before and after.
BY_HAND: dict[str, str] = {
    "workloads.0003_rename_above_nominal": (
        "it changes nothing in the database: the model has another name, its table keeps its own"
    ),
    "workloads.0004_open_reasons": (
        "it changes nothing in the database: the columns of reasons have no list of choices any "
        "more, of which the database never knew"
    ),
    "workloads.0008_know_clusters": (
        "it changes nothing in the database, which knows no list of choices. The version before "
        "keeps no clusters, so it writes neither the new events nor the new requests"
    ),
    "workloads.0010_know_pods": (
        "the two columns may be null and get no default, so no row is rewritten; the lists of "
        "choices change nothing in the database. The version before writes neither the new "
        "requests, events and decisions nor the new columns"
    ),
    "workloads.0012_add_usage_history": (
        "the table is new, and the list of choices changes nothing in the database. The version "
        "before knows no policy that reads past usage, for which alone requests are written"
    ),
    "workloads.0014_allow_priority_changes": (
        "it changes nothing in the database, which knows no list of choices. The version before "
        "writes neither the new requests nor the new events"
    ),
    "workloads.0015_deactivate_workloads": (
        "the three columns may be null and get no default, so no row is rewritten; the lists of "
        "choices change nothing in the database. The version before writes neither the new "
        "requests, events and reasons nor the new columns"
    ),
    "webhooks.0004_know_handed_over_messages": (
        "the column may be null, so no row is rewritten, and the list of choices changes nothing "
        "in the database. The version before writes neither the column nor the new kinds"
    ),
    "webhooks.0005_add_subscriptions": (
        "an organization has at most 20 webhooks, so the index is built within milliseconds. The "
        "version before takes a subscription for a webhook without an address: its attempts fail, "
        "and the next version repeats them"
    ),
    "series.0002_know_clusters": (
        "it changes nothing in the database, which knows no list of choices. The version before "
        "writes no series of clusters, and rolls up any that it finds like the others"
    ),
    "retention.0002_know_accounts": (
        "it changes nothing in the database, which knows no list of choices. The version before "
        "deletes no accounts, and shows no rows of kinds that it does not know"
    ),
    "webhooks.0003_add_review_kinds": (
        "it changes nothing in the database, which knows no list of choices. The version before "
        "writes no deliveries about review requests, and sends those that it finds like the others"
    ),
    "orgs.0005_allow_several_accounts_of_an_address": (
        "accounts are few: the new index is built within milliseconds, and letting go of the old "
        "one reads no rows. The version before keeps what the new constraint asks, because it "
        "knows one account of an address; it fails to sign in to an address that has a second "
        "one, which only the next version begins, until it is brought up to date"
    ),
}


@cache
def _loader() -> MigrationLoader:
    return MigrationLoader(None)


def _ours() -> list[Migration]:
    labels = {app.label for app in apps.get_app_configs() if app.name.startswith("console.")}
    return [each for (label, _), each in _loader().disk_migrations.items() if label in labels]


def test_migrations_keep_previous_version_running() -> None:
    found = {}
    for migration in _ours():
        state = _loader().project_state((migration.app_label, migration.name), at_end=False)
        if f"{migration.app_label}.{migration.name}" not in BY_HAND:
            found[f"{migration.app_label}.{migration.name}"] = complaints(migration, state)
    assert len(found) > 5
    assert {name: said for name, said in found.items() if said} == {}


def test_hand_reviewed_migrations_exist() -> None:
    assert BY_HAND.keys() <= {f"{each.app_label}.{each.name}" for each in _ours()}


#: Some tables as the running version knows them.
BOOK = ModelState(
    "shelf",
    "Book",
    [
        ("id", models.BigAutoField(primary_key=True)),
        ("title", models.CharField(max_length=50)),
        ("note", models.TextField(null=True)),
    ],
    {
        "constraints": [
            models.UniqueConstraint(fields=["title"], name="one_of_each_title"),
            models.CheckConstraint(condition=~models.Q(title=""), name="has_a_title"),
        ],
        "indexes": [models.Index(fields=["note"], name="by_note")],
    },
)
READER = ModelState("shelf", "Reader", [("id", models.BigAutoField(primary_key=True))])


def said_of(*operations: migrations.operations.base.Operation, atomic: bool = True) -> list[str]:
    """Return the complaints about a migration with these operations."""
    state = ProjectState({("shelf", "book"): BOOK.clone(), ("shelf", "reader"): READER.clone()})
    migration = Migration("0002_next", "shelf")
    migration.operations = list(operations)
    migration.atomic = atomic
    return complaints(migration, state)


FREE = [
    migrations.AddField("Book", "shelf", models.TextField(null=True)),
    migrations.AddField("Book", "shelf", models.TextField(db_default="")),
    migrations.AddField("Book", "added", models.DateTimeField(db_default=Now())),
    migrations.AddField(
        "Book", "by", models.ForeignKey("Reader", models.CASCADE, null=True, db_index=False)
    ),
    migrations.AddField("Book", "readers", models.ManyToManyField("Reader")),
    migrations.AlterField("Book", "title", models.CharField(max_length=60, choices=[("a", "A")])),
    migrations.AlterField("Book", "title", models.CharField(max_length=50, null=True)),
    migrations.AlterField("Book", "title", models.CharField(max_length=50, db_default="")),
    migrations.AlterModelOptions("Book", {"ordering": ["title"]}),
    migrations.RemoveIndex("Book", "by_note"),
    migrations.RemoveConstraint("Book", "has_a_title"),
    migrations.CreateModel("Loan", [("id", models.BigAutoField(primary_key=True))]),
    migrations.SeparateDatabaseAndState(state_operations=[migrations.RemoveField("Book", "note")]),
    migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel("Reader")]),
]


@pytest.mark.parametrize("operation", FREE, ids=lambda each: each.describe())
def test_safe_operations_are_accepted(operation) -> None:
    assert said_of(operation) == []


def test_new_tables_are_not_checked() -> None:
    index = models.Index(fields=["day"], name="by_day")
    assert (
        said_of(
            migrations.CreateModel("Loan", [("id", models.BigAutoField(primary_key=True))]),
            migrations.AddField("Loan", "day", models.DateField()),
            migrations.AddIndex("Loan", index),
        )
        == []
    )


_INSERTS = "the running version does not name it when it inserts. Give it null=True or db_default."
_REWRITES = "it writes every row anew under a lock. Add it with null=True and fill it later."
_INDEXED = (
    "its index is built under a lock. Add it with db_index=False and without unique, and the index "
    "by AddIndexConcurrently in a migration of its own."
)
_ALTERS = (
    "it locks the table while every row is read or written, or refuses what the running version "
    "writes. Add a field beside it, write both, and remove this one later."
)
_CHECKS = (
    "every row is checked under a lock, and the running version may break it. By RunSQL: a check "
    "is added NOT VALID and validated by a later migration, a unique one made of an index that was "
    "built concurrently; the release before has to keep it already."
)
_STILL_NAMES = (
    "the running version still uses it. Remove it from the code first, with "
    "SeparateDatabaseAndState(state_operations=[...]); a later release drops it by RunSQL."
)
_UNKNOWN = (
    "no rule can judge it. Say in BY_HAND of tests/architecture/test_migrations.py why it takes no "
    "lock for long, and why both versions work before and after it."
)
NOTICED = [
    (migrations.AddField("Book", "shelf", models.TextField()), _INSERTS),
    (migrations.AddField("Book", "shelf", models.TextField(default="")), _INSERTS),
    (migrations.AddField("Book", "luck", models.FloatField(db_default=Random())), _REWRITES),
    (
        migrations.AddField(
            "Book",
            "loud",
            models.GeneratedField(
                expression=Upper("title"), output_field=models.TextField(), db_persist=True
            ),
        ),
        _REWRITES,
    ),
    (migrations.AddField("Book", "code", models.TextField(null=True, unique=True)), _INDEXED),
    (
        migrations.AddField("Book", "by", models.ForeignKey("Reader", models.CASCADE, null=True)),
        _INDEXED,
    ),
    (migrations.AlterField("Book", "title", models.CharField(max_length=40)), _ALTERS),
    (migrations.AlterField("Book", "note", models.TextField()), _ALTERS),
    (migrations.AlterField("Book", "note", models.IntegerField(null=True)), _ALTERS),
    (
        migrations.AddIndex("Book", models.Index(fields=["title"], name="by_title")),
        (
            "no process can write to the table while it is built. Use AddIndexConcurrently of "
            "console.migrating.operations, alone in a migration with atomic = False."
        ),
    ),
    (
        AddIndexConcurrently("Book", models.Index(fields=["title"], name="by_title")),
        "it cannot be part of a transaction. Set atomic = False on its migration.",
    ),
    (
        migrations.AddConstraint(
            "Book", models.UniqueConstraint(fields=["note"], name="one_of_each_note")
        ),
        _CHECKS,
    ),
    (migrations.AlterUniqueTogether("Book", [("title", "note")]), _CHECKS),
    (
        migrations.RemoveConstraint("Book", "one_of_each_title"),
        (
            "the running version inserts by it (ON CONFLICT). Remove it from the code first; a "
            "later release removes it."
        ),
    ),
    (migrations.RemoveField("Book", "note"), _STILL_NAMES),
    (migrations.RenameField("Book", "note", "remark"), _STILL_NAMES),
    (migrations.DeleteModel("Reader"), _STILL_NAMES),
    (migrations.RenameModel("Reader", "Person"), _STILL_NAMES),
    (migrations.AlterModelTable("Book", "books"), _STILL_NAMES),
    (
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveField("Book", "title")]
        ),
        (
            "Book.title stays in the table, and this version does not name it when it inserts. "
            "Make it null=True first."
        ),
    ),
    (migrations.RunSQL("UPDATE shelf_book SET note = ''"), _UNKNOWN),
    (
        migrations.RunPython(migrations.RunPython.noop),
        (
            "its rows stay locked until all of them are done. Set atomic = False on its migration, "
            "and write a few at a time, so that it can be done again."
        ),
    ),
]


@pytest.mark.parametrize(
    ("operation", "sentence"), NOTICED, ids=[each.describe() for each, _ in NOTICED]
)
def test_unsafe_operations_are_refused_with_instruction(operation, sentence: str) -> None:
    assert said_of(operation) == [f"{operation.describe()}: {sentence}"]


def test_one_migration_changes_one_table_in_use() -> None:
    assert said_of(
        migrations.AddField("Book", "shelf", models.TextField(null=True)),
        migrations.AddField("Reader", "name", models.TextField(null=True)),
    ) == [
        (
            "It changes book and reader: a migration of its own for each, so that it never holds "
            "one table while it waits for another."
        )
    ]


def test_non_atomic_migration_has_one_operation() -> None:
    assert said_of(
        AddIndexConcurrently("Book", models.Index(fields=["title"], name="by_title")),
        AddIndexConcurrently("Book", models.Index(fields=["note"], name="by_note_again")),
        atomic=False,
    ) == [
        (
            "It is not atomic and has several operations: a migration of its own for each, so that "
            "one that was cut off can be done again."
        )
    ]
