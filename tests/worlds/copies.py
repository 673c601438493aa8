"""Copies of rows, made inside the database: a hundred thousand of them in seconds."""

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
    Insert *times* copies of the rows of *model* in which *where* holds, one set after another.

    *changes* gives columns of a copy in SQL of SQLite, in which `k` is the number of the
    copy, from *first*, and every other name a column of the original. With *span*, which is
    more than the keys of the originals are apart, keys grow from one set to the next.
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
    """Return the SQL of a time that is *seconds*, themselves SQL, later than in *column*."""
    return f"strftime('%Y-%m-%d %H:%M:%f000', {column}, '+' || ({seconds}) || ' seconds')"
