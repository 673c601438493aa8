"""The command `verify_audit`: verifies the chain of stored or exported audit entries."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from console.orgs.models import Organization
from console.orgs.services.verify_audit import (
    Break,
    NotAnExport,
    Verified,
    verify_lines,
    verify_org,
)


class Command(BaseCommand):
    """Verify the chain of an organization or of an exported file."""

    help = (
        "Verify that audit entries were not changed after they were sealed. Exits with status 1 "
        "if they were."
    )
    # A file is verified on any machine, without a database.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options for an organization or a file."""
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--org", help="slug of the organization")
        what.add_argument("--file", type=Path, help="an NDJSON export without filters")
        parser.add_argument(
            "--head",
            metavar="NUMBER:DIGEST",
            help="with --org: the head printed by an earlier run, which must still be in the chain",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the result."""
        head = options["head"]
        if options["file"]:
            if head:
                raise CommandError("--head requires --org.", returncode=2)
            found = _verify_file(options["file"])
        else:
            number, digest = _read_head(head) if head else (0, "")
            found = verify_org(_find(options["org"]), [number] if head else [])
            known = found.digests.get(number)
            if head and not found.broken and known != digest:
                gone = number < found.first - 1
                self.stdout.write(
                    f"Entry {number} is deleted by retention and cannot be compared."
                    if gone
                    else f"Entry {number} differs from the entry of {head}."
                )
                sys.exit(1)
        for sentence in _sentences(found):
            self.stdout.write(sentence)
        if found.broken:
            sys.exit(1)


def _sentences(found: Verified) -> Iterator[str]:
    count = found.last - found.first + 1
    if count:
        yield f"{count} entries are unchanged: numbers {found.first} to {found.last}."
    if found.broken is Break.MISSING:
        yield f"Entry {found.last + 1} is missing; later entries were not verified."
    elif found.broken is Break.CHANGED:
        yield (
            f"Entry {found.last + 1}, or one before it, was changed; later entries were not "
            "verified."
        )
    if found.unsealed:
        yield f"{found.unsealed} entries are not sealed yet."
    if found.digest and not found.broken:
        yield f"Head: {found.last}:{found.digest}"


def _find(slug: str) -> Organization:
    org = Organization.objects.filter(slug=slug).first()
    if org is None:
        raise CommandError(f"There is no organization {slug!r}.", returncode=2)
    return org


def _read_head(text: str) -> tuple[int, str]:
    number, colon, digest = text.partition(":")
    if not colon or not (number.isascii() and number.isdigit() and len(number) < 19):
        raise CommandError(f"--head is {text!r}; write it as NUMBER:DIGEST.", returncode=2)
    return int(number), digest


def _verify_file(path: Path) -> Verified:
    try:
        with path.open(encoding="utf-8") as file:
            return verify_lines(_lines(file))
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.", returncode=2) from error
    except (NotAnExport, ValueError) as error:
        message = f"{path} is not an NDJSON export of audit entries: {error}."
        raise CommandError(message, returncode=2) from error


def _lines(file: Iterator[str]) -> Iterator[Any]:
    for line in file:
        yield json.loads(line)
