"""The command `config_schema`: writes the JSON Schema of a config language, for editors."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from console.dialects import default_dialect, dialects


class Command(BaseCommand):
    """Print or write a schema. Needs no database."""

    help = "Print the JSON Schema of a config language, or write one file for each language."
    # System checks, which need the database and settings of other apps, are not run.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--dialect",
            choices=sorted(dialects()),
            default=default_dialect().name,
            help="the config language to print (default: %(default)s)",
        )
        parser.add_argument(
            "--into",
            metavar="FOLDER",
            type=Path,
            help="write <dialect>.schema.json for every language into this folder instead",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print one schema, or write all of them to the folder."""
        folder: Path | None = options["into"]
        if folder is None:
            self.stdout.write(_schema_text(options["dialect"]))
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name in dialects():
                path = folder / f"{name}.schema.json"
                path.write_text(f"{_schema_text(name)}\n", "utf-8")
                self.stdout.write(str(path))
        except OSError as error:
            message = f"{error.filename} cannot be written: {error.strerror}."
            raise CommandError(message, returncode=2) from error


def _schema_text(name: str) -> str:
    return json.dumps(dialects()[name].schema(), indent=2, ensure_ascii=False)
