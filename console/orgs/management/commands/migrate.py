"""Django's migrate, which holds up nobody who uses the database meanwhile."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections

from console.migrating.patience import LockedOut, migrate_patiently
from console.migrating.server import ServerTooOld, refuse_old_server


class Command(migrate.Command):
    """Bring the database up to date."""

    def handle(self, *args: Any, **options: Any) -> None:
        """
        Migrate.

        A server that is too old ends it with one sentence, as does a lock that is not to be had in
        three minutes.
        """
        run = partial(super().handle, *args, **options)
        connection = connections[options["database"]]
        try:
            refuse_old_server(connection)
            migrate_patiently(connection, run, self._say)
        except (LockedOut, ServerTooOld) as failure:
            raise CommandError(str(failure)) from failure

    def _say(self, sentence: str) -> None:
        self.stdout.write(sentence)
        # Whoever reads it through a pipe wants to know at once.
        self.stdout.flush()
