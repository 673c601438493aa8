"""Play one of the two traces and print what it cost and reached."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from console.bench.book import BrokenPromise
from console.bench.traces import TRACES
from console.bench.virtual import play
from console.collector import collect_seldom


class Command(BaseCommand):
    """Play a trace through the engine alone, in virtual time. Needs no database."""

    help = "Play a trace of arrivals and print how long it took and how well quota was used."
    # Neither the database nor the settings of the other apps are looked at.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--trace", choices=tuple(TRACES), required=True, help="which trace")
        parser.add_argument(
            "--clock",
            choices=("virtual",),
            required=True,
            help="virtual: the engine alone, jumping from event to event",
        )
        parser.add_argument("--json", action="store_true", help="print one line of JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the figures; an engine that breaks a promise ends with a sentence and status 1."""
        # As the workers do.
        collect_seldom()
        try:
            figures = play(TRACES[options["trace"]])
        except BrokenPromise as broken:
            raise CommandError(f"The engine broke a promise: {broken}") from broken
        self.stdout.write(json.dumps(figures.to_json()) if options["json"] else figures.to_text())
