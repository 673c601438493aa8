"""Base class of management commands that need the database tables."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection


class DatabaseCommand(BaseCommand):
    """Command that fails with one sentence if the database has no tables."""

    # System checks would load all pages and URLs, most of the run time of a short command.
    requires_system_checks = ()

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command; raise CommandError if the tables are missing."""
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
