"""Rules for migrations that run while the previous version uses the same database."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from django.db import migrations, models
from django.db.migrations.migration import Migration
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models.functions import Now

from console.migrating.operations import AddIndexConcurrently

#: Field options without an effect in the database.
_ONLY_CODE = ("choices", "validators", "verbose_name", "help_text", "blank", "editable", "default",
              "error_messages", "related_name", "related_query_name", "limit_choices_to",
              "on_delete", "auto_now", "auto_now_add")  # fmt: skip

#: Operations that no running version notices, on any table.
_HARMLESS = (
    migrations.AlterModelOptions,
    migrations.AlterModelManagers,
    migrations.AlterModelTableComment,
    migrations.RemoveIndex,
    migrations.RenameIndex,
)

_REMOVE_IN_TWO_RELEASES = (
    "the running version still uses it. Remove it from the code first, with "
    "SeparateDatabaseAndState(state_operations=[...]); a later release drops it by RunSQL"
)

_BY_HAND = (
    "no rule can judge it. Say in BY_HAND of tests/architecture/test_migrations.py why it takes no "
    "lock for long, and why both versions work before and after it"
)


def complaints(migration: Migration, state: ProjectState) -> list[str]:
    """
    Return the effects of *migration* on a running version, and what to do instead.

    *state* is the state of the models before the migration; it is advanced. Tables that the
    migration itself creates are not checked, because no running version uses them.
    """
    found: list[str] = []
    new: set[str] = set()
    touched: set[str] = set()
    for operation in migration.operations:
        if isinstance(operation, migrations.CreateModel):
            new.add(operation.name_lower)
        name = getattr(operation, "model_name_lower", getattr(operation, "name_lower", ""))
        if name not in new:
            touched |= {name} - {""}
            said = _judge(operation, migration, state)
            found += [f"{operation.describe()}: {sentence}." for sentence in said]
        operation.state_forwards(migration.app_label, state)
    if len(touched) > 1:
        found.append(
            f"It changes {' and '.join(sorted(touched))}: a migration of its own for each, so that "
            "it never holds one table while it waits for another."
        )
    if not migration.atomic and len(migration.operations) > 1:
        found.append(
            "It is not atomic and has several operations: a migration of its own for each, so that "
            "one that was cut off can be done again."
        )
    return found


def _judge(operation: Operation, migration: Migration, state: ProjectState) -> Iterator[str]:
    if isinstance(operation, _HARMLESS):
        return
    judge = _JUDGES.get(type(operation))
    if judge is None:
        yield _BY_HAND
    else:
        yield from judge(operation, migration, state)


def _add_field(
    operation: migrations.AddField, migration: Migration, state: ProjectState
) -> Iterator[str]:
    field = operation.field
    if field.many_to_many:
        return
    if field.generated or not _is_one_value(field.db_default):
        yield "it writes every row anew under a lock. Add it with null=True and fill it later"
    elif not field.null and not field.has_db_default():
        yield (
            "the running version does not name it when it inserts. Give it null=True or db_default"
        )
    if field.unique or field.db_index:
        yield (
            "its index is built under a lock. Add it with db_index=False and without unique, and "
            "the index by AddIndexConcurrently in a migration of its own"
        )


def _is_one_value(default: object) -> bool:
    """Return whether PostgreSQL stores a default in the catalog instead of in every row."""
    return not isinstance(default, models.Func) or isinstance(default, Now)


def _alter_field(
    operation: migrations.AlterField, migration: Migration, state: ProjectState
) -> Iterator[str]:
    fields = state.models[migration.app_label, operation.model_name_lower].fields
    before, after = _in_database(fields[operation.name]), _in_database(operation.field)
    # A relaxed constraint changes the catalog alone, and the existing rows satisfy it.
    for options in (before, after):
        options.pop("db_default", None)
    grown = (before.pop("max_length", 0) or 0) <= (after.pop("max_length", 0) or 0)
    freed = before.pop("null", False) <= after.pop("null", False)
    if before != after or not grown or not freed:
        yield (
            "it locks the table while every row is read or written, or refuses what the running "
            "version writes. Add a field beside it, write both, and remove this one later"
        )


def _in_database(field: models.Field) -> dict[str, object]:
    _, path, arguments, options = field.deconstruct()
    kept = {name: value for name, value in options.items() if name not in _ONLY_CODE}
    return {**kept, "path": path, "arguments": tuple(arguments)}


def _add_index(
    operation: migrations.AddIndex, migration: Migration, state: ProjectState
) -> Iterator[str]:
    yield (
        "no process can write to the table while it is built. Use AddIndexConcurrently of "
        "console.migrating.operations, alone in a migration with atomic = False"
    )


def _add_concurrently(
    operation: AddIndexConcurrently, migration: Migration, state: ProjectState
) -> Iterator[str]:
    if migration.atomic:
        yield "it cannot be part of a transaction. Set atomic = False on its migration"


def _add_constraint(
    operation: Operation, migration: Migration, state: ProjectState
) -> Iterator[str]:
    yield (
        "every row is checked under a lock, and the running version may break it. By RunSQL: a "
        "check is added NOT VALID and validated by a later migration, a unique one made of an "
        "index that was built concurrently; the release before has to keep it already"
    )


def _remove_constraint(
    operation: migrations.RemoveConstraint, migration: Migration, state: ProjectState
) -> Iterator[str]:
    model = state.models[migration.app_label, operation.model_name_lower]
    if not isinstance(model.get_constraint_by_name(operation.name), models.CheckConstraint):
        yield (
            "the running version inserts by it (ON CONFLICT). Remove it from the code first; a "
            "later release removes it"
        )


def _remove(operation: Operation, migration: Migration, state: ProjectState) -> Iterator[str]:
    yield _REMOVE_IN_TWO_RELEASES


def _separate_state(
    operation: migrations.SeparateDatabaseAndState, migration: Migration, state: ProjectState
) -> Iterator[str]:
    if operation.database_operations:
        yield _BY_HAND
        return
    for each in operation.state_operations:
        if isinstance(each, migrations.RemoveField):
            fields = state.models[migration.app_label, each.model_name_lower].fields
            field = fields[each.name]
            if not field.null and not field.has_db_default():
                yield (
                    f"{each.model_name}.{each.name} stays in the table, and this version does not "
                    "name it when it inserts. Make it null=True first"
                )
        elif not isinstance(each, migrations.DeleteModel):
            yield _BY_HAND


def _run_python(
    operation: migrations.RunPython, migration: Migration, state: ProjectState
) -> Iterator[str]:
    if migration.atomic:
        yield (
            "its rows stay locked until all of them are done. Set atomic = False on its migration, "
            "and write a few at a time, so that it can be done again"
        )


_JUDGES: dict[type[Operation], Callable[..., Iterator[str]]] = {
    migrations.AddField: _add_field,
    migrations.AlterField: _alter_field,
    migrations.AddIndex: _add_index,
    AddIndexConcurrently: _add_concurrently,
    migrations.AddConstraint: _add_constraint,
    migrations.AlterUniqueTogether: _add_constraint,
    migrations.RemoveConstraint: _remove_constraint,
    migrations.RemoveField: _remove,
    migrations.DeleteModel: _remove,
    migrations.RenameField: _remove,
    migrations.RenameModel: _remove,
    migrations.AlterModelTable: _remove,
    migrations.SeparateDatabaseAndState: _separate_state,
    migrations.RunPython: _run_python,
    # A table that only this migration uses.
    migrations.CreateModel: lambda *_: iter(()),
}
