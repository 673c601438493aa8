"""The command `create_org`: creates an organization, and an account for a new owner."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from console.database_command import DatabaseCommand
from console.errors import ConsoleError
from console.orgs.management.accounts import account_choice, add_account_options
from console.orgs.services.choose_account import choose_account
from console.orgs.services.create_org import create_org


class Command(DatabaseCommand):
    """Create an organization."""

    help = "Create an organization without a config."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments for the slug and the owner's address."""
        parser.add_argument("slug", help="its name in URLs: letters, digits and hyphens")
        parser.add_argument(
            "--owner",
            metavar="EMAIL",
            help="e-mail address of the owner; a new account gets a generated password",
        )
        add_account_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Create the organization in one transaction, and print the password of a new account."""
        slug, email = options["slug"], options["owner"]
        try:
            with transaction.atomic():
                owner, password = None, None
                if email:
                    owner, password = choose_account(email, account_choice(options))
                create_org(slug, slug, owner)
        except ConsoleError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"Created the organization {slug}.")
        if password:
            self.stdout.write(f"Created {email} with the password {password}")
        elif owner is not None:
            self.stdout.write(f"{owner.email} is an existing account and keeps its password.")
