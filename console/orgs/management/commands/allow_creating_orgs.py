"""The command `allow_creating_orgs`: permits an account to create organizations in the browser."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from console.database_command import DatabaseCommand
from console.errors import ConsoleError
from console.orgs.management.accounts import account_choice, add_account_options
from console.orgs.services.permit_org_creation import forbid_org_creation, permit_org_creation


class Command(DatabaseCommand):
    """Permit an account to create organizations, or revoke the permission."""

    help = (
        "Permit a person to create organizations in the browser, or revoke the permission. A new "
        "account gets a generated password."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments for the address and for the choice."""
        parser.add_argument("email", help="e-mail address of the person")
        add_account_options(parser)
        parser.add_argument(
            "--revoke",
            action="store_true",
            help="revoke the permission of all accounts of the address",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Set the permission, and print the password of a new account."""
        try:
            if options["revoke"]:
                self._revoke(options)
            else:
                self._permit(options)
        except ConsoleError as error:
            raise CommandError(error.message) from error

    def _permit(self, options: dict[str, Any]) -> None:
        account, password = permit_org_creation(options["email"], account_choice(options))
        self.stdout.write(f"{account.email} may create organizations in the browser.")
        if password:
            self.stdout.write(f"Created {account.email} with the password {password}")
        if settings.ORG_CREATION == "none":
            self.stdout.write("This has no effect while ORG_CREATION is none.")

    def _revoke(self, options: dict[str, Any]) -> None:
        if options["existing"] or options["new"]:
            raise CommandError("--revoke applies to all accounts; leave out --existing and --new.")
        forbid_org_creation(options["email"])
        self.stdout.write(f"{options['email']} has no permission to create organizations.")
        if settings.ORG_CREATION == "all":
            self.stdout.write("This has no effect while ORG_CREATION is all.")
