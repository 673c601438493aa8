"""The command `up`: runs web, worker and beat processes and the embedded broker."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from console.supervisor.failure import StartFailed
from console.supervisor.up import up


class Command(BaseCommand):
    """Start all processes of this machine."""

    help = "Start the web, worker and beat processes and the embedded broker. Ctrl-C stops them."
    # The web process runs the system checks; a second run would only delay the start.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the option for the port."""
        parser.add_argument(
            "--port",
            type=int,
            choices=range(65536),
            metavar="PORT",
            default=settings.PORT,
            help="port of the web server, 0 for any free one (default: PORT, or 8000)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until stopped; a failed start prints one sentence and exits with status 1."""
        try:
            status = up(options["port"])
        except StartFailed as failure:
            self.stderr.write(f"sluice: {failure}")
            status = 1
        sys.exit(status)
