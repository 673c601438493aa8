"""Creates an API token and prints its secret, which is stored nowhere."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from console.errors import ConsoleError
from console.orgs.management.prepared import PreparedCommand
from console.orgs.models import Organization, Role
from console.orgs.services.issue_token import issue_token


class Command(PreparedCommand):
    """Create an API token."""

    help = "Create an API token; its secret alone goes to standard output, this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Read where the token acts, and as what."""
        parser.add_argument("--org", required=True, help="slug of the organization")
        parser.add_argument("--role", required=True, help=f"one of {', '.join(Role.values)}")
        parser.add_argument("--name", default="command line", help="how lists and events name it")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the secret."""
        slug = options["org"]
        org = Organization.objects.filter(slug=slug).first()
        if org is None:
            raise CommandError(f"There is no organization {slug!r}; create_org makes one.")
        try:
            self.stdout.write(issue_token(org, options["role"], options["name"]))
        except ConsoleError as error:
            raise CommandError(error.message) from error
