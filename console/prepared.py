"""Commands that need the database's tables, and say so when there are none."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection


class PreparedCommand(BaseCommand):
    """A command that ends with one sentence when the database was not prepared."""

    # They would load every page and address, which is most of what a short command takes.
    requires_system_checks = ()

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command; raise CommandError when the tables are missing."""
        try:
            tables = connection.introspection.table_names()
        except OperationalError as error:
            raise CommandError(f"The database cannot be used ({error}).") from error
        if get_user_model()._meta.db_table not in tables:
            raise CommandError(
                "The database has no tables yet: start the console once with `make run`, "
                "or run `manage.py migrate`."
            )
        return super().execute(*args, **options)
