"""Play one of the two traces and print what it cost and reached."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from console.bench import virtual
from console.bench.book import BrokenPromise
from console.bench.figures import Figures
from console.bench.kueue.traces import TRACES, ArrivalTrace
from console.collector import collect_seldom
from console.traffic.client import Away, Refused
from console.trial.play import Progress, play
from console.trial.product import DidNotStart, started

#: Seconds between two lines about how far it is.
_EVERY = 10


class Command(BaseCommand):
    """Play a trace: through the engine alone, or through a whole product that it starts itself."""

    help = "Play a trace of arrivals and print how long it took and how well quota was used."
    # Neither the database nor the settings of the other apps are looked at.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--trace", choices=tuple(TRACES), required=True, help="which trace")
        parser.add_argument(
            "--clock",
            choices=("virtual", "real"),
            required=True,
            help="virtual: the engine alone, jumping from event to event; real: HTTP, database "
            "and workers of a product that is started for it (with DATABASE_URL on PostgreSQL, in "
            "a database of its own)",
        )
        parser.add_argument("--json", action="store_true", help="print one line of JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the figures; what keeps it from them ends with a sentence and status 1."""
        trace = TRACES[options["trace"]]
        try:
            figures = self._real(trace) if options["clock"] == "real" else _virtual(trace)
        except BrokenPromise as broken:
            raise CommandError(f"The engine broke a promise: {broken}") from broken
        except DidNotStart as reason:
            raise CommandError(str(reason)) from reason
        except (Away, Refused) as answer:
            raise CommandError(f"The product did not take a request: {answer}") from answer
        self.stdout.write(json.dumps(figures.to_json()) if options["json"] else figures.to_text())

    def _real(self, trace: ArrivalTrace) -> Figures:
        self._next_line = _EVERY
        with started() as product:
            return play(trace, product.connect, product.cpu_seconds, self._tell)

    def _tell(self, progress: Progress) -> None:
        if progress.seconds >= self._next_line:
            self._next_line += _EVERY
            line = f"{progress.seconds:4.0f} s: {progress.done:,} of {progress.expected:,} done"
            self.stderr.write(line)


def _virtual(trace: ArrivalTrace) -> Figures:
    # As the workers do.
    collect_seldom()
    return virtual.play(trace)
