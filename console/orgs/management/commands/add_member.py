"""The command `add_member`: adds a person to an organization, with a new account if needed."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from console.database_command import DatabaseCommand
from console.errors import ConsoleError
from console.orgs.management.accounts import account_choice, add_account_options
from console.orgs.models import Organization, Role
from console.orgs.services.add_member import add_member
from console.orgs.services.choose_account import choose_account


class Command(DatabaseCommand):
    """Add a person to an organization."""

    help = "Add a person to an organization with a role. A new account gets a generated password."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments for person, organization and role."""
        parser.add_argument("email", help="e-mail address of the person")
        parser.add_argument("--org", required=True, help="slug of the organization")
        parser.add_argument("--role", required=True, help=f"one of {', '.join(Role.values)}")
        add_account_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Add the member in one transaction, and print the password of a new account."""
        slug, email, role = options["org"], options["email"], options["role"]
        org = Organization.objects.filter(slug=slug).first()
        if org is None:
            raise CommandError(f"There is no organization {slug!r}; create it with create_org.")
        try:
            with transaction.atomic():
                person, password = choose_account(email, account_choice(options), slug)
                is_new_member = not org.memberships.filter(user=person).exists()
                ended = add_member(org, person, role).tokens.ended
        except ConsoleError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{person.email} is {role} of {slug}.")
        if password:
            self.stdout.write(f"Created {person.email} with the password {password}")
        elif is_new_member:
            self.stdout.write(f"{person.email} is an existing account and keeps its password.")
        if ended:
            self.stdout.write(
                f"API tokens of {person.email} revoked because they granted more: {ended}."
            )
