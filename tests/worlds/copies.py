"""Copies of database rows made by one SQL statement, so that 100,000 copies take seconds."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import connection
from django.db.models import Model


def copy_rows(
    model: type[Model],
    where: str,
    times: int,
    changes: Mapping[str, str],
    *,
    first: int = 1,
    span: int | None = None,
) -> None:
    """
    Insert *times* copies of the rows of *model* that match *where*, one set after another.

    *changes* maps columns of a copy to SQLite expressions, in which `k` is the number of the
    copy, counted from *first*, and every other name is a column of the original. With *span*,
    which must exceed the distance between the keys of the originals, keys grow from one set to
    the next.
    """
    columns = [field.column for field in model._meta.concrete_fields]
    if span is None:
        columns.remove("id")
    else:
        changes = {**changes, "id": f"id + k * {span}"}
    names = ", ".join(f'"{name}"' for name in columns)
    values = ", ".join(changes.get(name, f'"{name}"') for name in columns)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA temp_store=MEMORY")
        cursor.execute(
            f"WITH RECURSIVE numbers(k) AS (SELECT {first} "  # noqa: S608
            "UNION ALL SELECT k + 1 FROM numbers "
            f"WHERE k < {first + times - 1}) "
            f'INSERT INTO "{model._meta.db_table}" ({names}) SELECT {values} '
            f'FROM numbers CROSS JOIN "{model._meta.db_table}" WHERE {where}'
        )


def later(column: str, seconds: str) -> str:
    """Return SQL for *column* plus *seconds*, which is an SQL expression too."""
    return f"strftime('%Y-%m-%d %H:%M:%f000', {column}, '+' || ({seconds}) || ' seconds')"
