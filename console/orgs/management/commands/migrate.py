"""Django's `migrate`, which does not block other users of the database."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import connections

from console.migrating.database_wait import DatabaseUnreachable, wait_for_database
from console.migrating.lock_retries import LockNotAcquired, migrate_with_lock_retries
from console.migrating.server_version import ServerTooOld, refuse_old_server
from console.private_state import keep_private


class Command(migrate.Command):
    """Migrate the database."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Add Django's options, and `--wait`."""
        super().add_arguments(parser)
        parser.add_argument(
            "--wait",
            type=int,
            default=0,
            metavar="SECONDS",
            help="Seconds to retry while the database cannot be reached (default: 0).",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """
        Migrate the database.

        Ends with one sentence if the server cannot be reached or is too old, or if a lock is not
        available within three minutes.
        """
        keep_private(settings.HOME)
        run = partial(super().handle, *args, **options)
        connection = connections[options["database"]]
        try:
            wait_for_database(connection, options["wait"], self._say)
            refuse_old_server(connection)
            migrate_with_lock_retries(connection, run, self._say)
        except (LockNotAcquired, DatabaseUnreachable, ServerTooOld) as failure:
            raise CommandError(str(failure)) from failure

    def _say(self, sentence: str) -> None:
        self.stdout.write(sentence)
        # Flushed, so that a pipe shows it immediately.
        self.stdout.flush()
