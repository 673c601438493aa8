"""The command `bench_trace`: replays one of two traces and prints the measurements."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from console.bench import virtual
from console.bench.kueue.traces import TRACES, ArrivalTrace
from console.bench.replay_result import ReplayResult
from console.bench.workload_tracker import InvariantViolation
from console.garbage_collection import collect_rarely
from console.traffic.client import Refused, Unavailable
from console.trial.play import Progress, play
from console.trial.product import ProductNotStarted, running_product

#: Seconds between two lines of progress.
_EVERY = 10


class Command(BaseCommand):
    """Replay a trace with the engine only, or with a complete product that it starts."""

    help = "Replay a trace of submissions and print its duration and the use of quota."
    # System checks, which need the database and settings of other apps, are not run.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--trace", choices=tuple(TRACES), required=True, help="the trace to replay"
        )
        parser.add_argument(
            "--clock",
            choices=("virtual", "real"),
            required=True,
            help="virtual: the engine only, in virtual time; real: HTTP, database and workers of "
            "a separate product (with a PostgreSQL DATABASE_URL, in a separate database)",
        )
        parser.add_argument("--json", action="store_true", help="print one line of JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the measurements; an error ends with one sentence and status 1."""
        trace = TRACES[options["trace"]]
        try:
            figures = self._real(trace) if options["clock"] == "real" else _virtual(trace)
        except InvariantViolation as broken:
            raise CommandError(f"The engine violated an invariant: {broken}") from broken
        except ProductNotStarted as reason:
            raise CommandError(str(reason)) from reason
        except (Unavailable, Refused) as answer:
            raise CommandError(f"The product did not accept a request: {answer}") from answer
        self.stdout.write(json.dumps(figures.to_json()) if options["json"] else figures.to_text())

    def _real(self, trace: ArrivalTrace) -> ReplayResult:
        self._next_line = _EVERY
        with running_product() as product:
            return play(trace, product.connect, product.cpu_seconds, self._tell)

    def _tell(self, progress: Progress) -> None:
        if progress.seconds >= self._next_line:
            self._next_line += _EVERY
            line = f"{progress.seconds:4.0f} s: {progress.done:,} of {progress.expected:,} done"
            self.stderr.write(line)


def _virtual(trace: ArrivalTrace) -> ReplayResult:
    # The workers do the same.
    collect_rarely()
    return virtual.play(trace)
