"""Django's migrate, which holds up nobody who uses the database meanwhile."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections

from console.migrating.patience import LockedOut, migrate_patiently


class Command(migrate.Command):
    """Bring the database up to date."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate; a lock that is not to be had in three minutes ends it with one sentence."""
        run = partial(super().handle, *args, **options)
        try:
            migrate_patiently(connections[options["database"]], run, self._say)
        except LockedOut as failure:
            raise CommandError(str(failure)) from failure

    def _say(self, sentence: str) -> None:
        self.stdout.write(sentence)
        # Whoever reads it through a pipe wants to know at once.
        self.stdout.flush()
