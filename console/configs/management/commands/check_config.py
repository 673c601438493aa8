"""Check a config file: print what is wrong, where, and how to repair it."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from console.dialects import default_dialect, dialects, likely_dialect
from console.dialects.base import Dialect
from console.dialects.render import reading_to_json, reading_to_text


class Command(BaseCommand):
    """Read a file as a config; exit status 1 when it has errors. Needs no database."""

    help = "Check a scheduler config file; exit status 1 when it has errors."
    # Neither the database nor the settings of the other apps are looked at.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", metavar="FILE", help="the config, or - for standard input")
        parser.add_argument(
            "--dialect",
            choices=sorted(dialects()),
            help="its config language; the one it looks like when absent",
        )
        parser.add_argument(
            "--format", choices=("text", "json"), default="text", help="how to print the findings"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the findings."""
        name: str = options["file"]
        raw = _read(name)
        shown = "<stdin>" if name == "-" else name
        # What was ever active is known to the database alone, so no queue name is fixed here.
        reading = _dialect(options["dialect"], raw).read(raw, {})
        if options["format"] == "json":
            self.stdout.write(json.dumps(reading_to_json(reading), indent=2, ensure_ascii=False))
        else:
            self.stdout.write(reading_to_text(reading, raw, shown))
        if not reading.ok:
            sys.exit(1)


def _dialect(name: str | None, raw: bytes) -> Dialect:
    if name is not None:
        return dialects()[name]
    return likely_dialect(raw.decode("utf-8", "replace")) or default_dialect()


def _read(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror}.", returncode=2) from error
