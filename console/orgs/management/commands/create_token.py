"""The command `create_token`: creates an API token and prints its secret, which is not stored."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from console.database_command import DatabaseCommand
from console.errors import ConsoleError
from console.orgs.identities import Identity
from console.orgs.models import Organization, Role
from console.orgs.services.issue_token import MOST_DAYS, USUAL_DAYS, issue_token


class Command(DatabaseCommand):
    """Create an API token."""

    help = "Create an API token. Its secret is printed to standard output, only once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options for organization, role, name, identity and expiry."""
        parser.add_argument("--org", required=True, help="slug of the organization")
        parser.add_argument("--role", required=True, help=f"one of {', '.join(Role.values)}")
        parser.add_argument(
            "--name", default="command line", help="name of the token in lists and events"
        )
        parser.add_argument(
            "--user",
            default="",
            help="user of the workloads that it submits without stating another (default: none)",
        )
        parser.add_argument(
            "--group",
            action="append",
            default=[],
            help="a group of these workloads; can be repeated",
        )
        parser.add_argument(
            "--days",
            type=int,
            default=USUAL_DAYS,
            help=f"days until the token expires, 0 for never (default: {USUAL_DAYS})",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the secret."""
        slug = options["org"]
        org = Organization.objects.filter(slug=slug).first()
        if org is None:
            raise CommandError(f"There is no organization {slug!r}; create it with create_org.")
        days = options["days"]
        if not 0 <= days <= MOST_DAYS:
            raise CommandError(f"--days is {days}; it must be 0 (never expires) to {MOST_DAYS}.")
        ends = timezone.now() + timedelta(days=days) if days else None
        try:
            identity = Identity(options["user"], tuple(options["group"]))
            secret = issue_token(
                org, options["role"], options["name"], expires_at=ends, identity=identity
            )
            self.stdout.write(secret)
        except ConsoleError as error:
            raise CommandError(error.message) from error
