"""Django's migrate, which holds up nobody who uses the database meanwhile."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import connections

from console.migrating.patience import LockedOut, migrate_patiently
from console.migrating.reaching import OutOfReach, reach
from console.migrating.server import ServerTooOld, refuse_old_server
from console.private_state import keep_private


class Command(migrate.Command):
    """Bring the database up to date."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Take what Django's takes, and for how long to wait."""
        super().add_arguments(parser)
        parser.add_argument(
            "--wait",
            type=int,
            default=0,
            metavar="SECONDS",
            help="For how long to try again while the database cannot be reached; 0 by default.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """
        Migrate.

        A server that is not there or too old ends it with one sentence, as does a lock that is not
        to be had in three minutes.
        """
        keep_private(settings.HOME)
        run = partial(super().handle, *args, **options)
        connection = connections[options["database"]]
        try:
            reach(connection, options["wait"], self._say)
            refuse_old_server(connection)
            migrate_patiently(connection, run, self._say)
        except (LockedOut, OutOfReach, ServerTooOld) as failure:
            raise CommandError(str(failure)) from failure

    def _say(self, sentence: str) -> None:
        self.stdout.write(sentence)
        # Whoever reads it through a pipe wants to know at once.
        self.stdout.flush()
