"""The command `reset_password`: sets a generated password and ends all sessions of an account."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from console.database_command import DatabaseCommand
from console.errors import ConsoleError
from console.orgs.services.reset_password import reset_password


class Command(DatabaseCommand):
    """Reset a password."""

    help = "Set a new generated password, and sign the person out of all browsers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments for the address and for an organization that selects its account."""
        parser.add_argument("email", help="e-mail address of the person")
        parser.add_argument(
            "--org", help="slug of an organization of which the account is a member"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the password."""
        try:
            account, password = reset_password(options["email"], options["org"])
        except ConsoleError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{account.email} has the new password {password}")
