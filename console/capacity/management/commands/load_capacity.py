"""The command `load_capacity`: reports a cluster from a file."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from console.capacity.listings.read_listing import ACCEPTED, ListingError, read_listing
from console.capacity.models import Cluster
from console.capacity.services.report_cluster import ReportResult, report_cluster
from console.database_command import DatabaseCommand
from console.engine.wording.words import plural
from console.errors import BadRequest, ConsoleError
from console.orgs.models import Organization
from console.orgs.permissions import Actor

_STDIN = "-"


class Command(DatabaseCommand):
    """Report a cluster from a file."""

    help = f"Report a cluster with all its nodes from a file: {ACCEPTED}."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options for organization, cluster and labels, and the file."""
        parser.add_argument("--org", required=True, help="slug of the organization")
        parser.add_argument("--cluster", required=True, metavar="NAME", help="name of the cluster")
        parser.add_argument(
            "--label",
            type=_label,
            action="append",
            metavar="KEY=VALUE",
            help="label of the cluster; can be repeated, and replaces all labels (default: those "
            "of a report in the file, or of the stored cluster)",
        )
        parser.add_argument("file", metavar="FILE", help="the file, or - for standard input")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print what the report changed."""
        slug, name, file = options["org"], options["cluster"], options["file"]
        org = Organization.objects.filter(slug=slug).first()
        if org is None:
            raise CommandError(f"There is no organization {slug!r}; create it with create_org.")
        try:
            listing = read_listing(_text(file), name)
        except ListingError as error:
            raise CommandError(f"{file}: {error}") from error
        report = listing.report
        if not listing.is_whole:
            report |= _stored(org, name)
        if options["label"]:
            report |= {"labels": dict(options["label"])}
        try:
            result = report_cluster(Actor.from_command(org), name, report, is_by_hand=True)
        except BadRequest as error:
            lines = [
                f"--cluster: {each.message}"
                if each.path == "name"
                else f"{file}: {listing.place(each.path) or 'the file'}: {each.message}"
                for each in error.errors
            ]
            raise CommandError(
                "\n".join([*lines, f"{error.message} Nothing was loaded."])
            ) from error
        except ConsoleError as error:
            raise CommandError(error.message) from error
        self.stdout.write(_summary(result))


def _label(text: str) -> tuple[str, str]:
    key, has_value, value = text.partition("=")
    if not key or not has_value:
        raise ArgumentTypeError(f"{text!r} has no key or no =; write KEY=VALUE")
    return key, value


def _text(file: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == _STDIN else Path(file).read_bytes()
    except OSError as error:
        raise CommandError(f"{file}: the file cannot be read: {error.strerror}.") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CommandError(f"{file}: the file is not UTF-8 (byte {error.start}).") from error


def _stored(org: Organization, name: str) -> dict[str, Any]:
    """Return the labels and the state of the stored cluster, which a listing of nodes lacks."""
    stored = Cluster.objects.filter(org=org, name=name).values("labels", "state").first()
    return dict(stored) if stored else {}


def _summary(result: ReportResult) -> str:
    cluster = result.cluster
    nodes = f"{plural(cluster.node_count, 'node')}, {cluster.ready_nodes} of them ready"
    if result.is_new:
        return f"Registered cluster {cluster.name} with {nodes}."
    if result.is_unchanged:
        return f"Cluster {cluster.name} is unchanged: {nodes}."
    changes = f"{result.added} added, {result.changed} changed, {result.removed} removed"
    fields = f"; other {', '.join(result.fields)}" if result.fields else ""
    return f"Updated cluster {cluster.name}: {changes}{fields}. It has {nodes}."
