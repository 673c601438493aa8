"""Starts the web, worker and beat processes and the embedded broker, until Ctrl-C."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from console.supervisor.failure import StartFailed
from console.supervisor.up import up


class Command(BaseCommand):
    """Start everything on this machine."""

    help = "Start web, worker, beat and the embedded broker; Ctrl-C stops them."
    # The web process checks the project; doing it here too would only delay the start.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Read the port."""
        parser.add_argument(
            "--port",
            type=int,
            choices=range(65536),
            metavar="PORT",
            default=settings.PORT,
            help="port of the web server, 0 for any free one (default: PORT, or 8000)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until stopped; a start that fails ends with one sentence and status 1."""
        try:
            status = up(options["port"])
        except StartFailed as failure:
            self.stderr.write(f"sluice: {failure}")
            status = 1
        sys.exit(status)
