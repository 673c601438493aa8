"""The command `conformance`: compares the decisions of the engine with cases of known outcome."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from console.dialects.conformance import MalformedCase, Result, Verdict, run_case


class Command(BaseCommand):
    """Run cases and print those that differ. Needs no database."""

    help = "Run conformance cases. Exits with status 1 if any case differs."
    # System checks, which need the database and settings of other apps, are not run.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "files", metavar="FILE", nargs="+", help="JSON files with lists of cases"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print every case that does not agree, then the counts."""
        results = [result for name in options["files"] for result in _run(name)]
        for result in results:
            for sentence in result.sentences:
                self.stdout.write(f"{result.verdict.value}: {result.id}: {sentence}")
        counts = Counter(result.verdict for result in results)
        passed_over = (Verdict.SKIPPED, Verdict.NOT_SUPPORTED)
        self.stdout.write(", ".join(f"{counts[each]} {each.value}" for each in passed_over))
        self.stdout.write(f"{counts[Verdict.AGREES]} agree, {counts[Verdict.DIFFERS]} differ")
        if counts[Verdict.DIFFERS]:
            sys.exit(1)


def _run(name: str) -> list[Result]:
    try:
        cases = json.loads(Path(name).read_bytes())
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror}.", returncode=2) from error
    except ValueError as error:
        raise CommandError(f"{name} is not JSON: {error}.", returncode=2) from error
    if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
        raise CommandError(f"{name} is not a list of cases.", returncode=2)
    try:
        return [run_case(case) for case in cases]
    except MalformedCase as error:
        raise CommandError(f"{name}: {error}.", returncode=2) from error
