"""Migration operations that do not block a running version: indexes built concurrently."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import AddIndex
from django.db.migrations.state import ProjectState


class AddIndexConcurrently(AddIndex):
    """
    Build an index while its table is read and written; on SQLite like `AddIndex`.

    It has to be the only operation of a migration with `atomic = False`. An interrupted attempt
    leaves an invalid index, which PostgreSQL never uses; the next attempt builds it again.
    """

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Build the index."""
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        with _without_lock_timeout(schema_editor.connection):
            for statement in (
                self.index.remove_sql(model, schema_editor, concurrently=True),
                self.index.create_sql(model, schema_editor, concurrently=True),
            ):
                schema_editor.execute(statement, params=None)


@contextmanager
def _without_lock_timeout(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Disable the lock timeout: the build waits for older transactions, and blocks no others."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('lock_timeout')")
        [before] = cursor.fetchone()
        cursor.execute("SET lock_timeout = 0")
        try:
            yield
        finally:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [before])
