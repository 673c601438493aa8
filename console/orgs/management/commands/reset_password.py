"""Gives an account a new generated password, and ends its sessions."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from console.errors import ConsoleError
from console.orgs.services.reset_password import reset_password
from console.prepared import PreparedCommand


class Command(PreparedCommand):
    """Reset a password."""

    help = "Give a person a new generated password, and sign them out of every browser."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Read the address and, where it has several accounts, one of their organizations."""
        parser.add_argument("email", help="the person's address")
        parser.add_argument("--org", help="slug of an organization that the account belongs to")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the password, this once."""
        try:
            account, password = reset_password(options["email"], options["org"])
        except ConsoleError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{account.email} has the new password {password}")
