"""The command `partition`: partitions the tables that grow without limit."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.utils import timezone

from console.database_command import DatabaseCommand
from console.retention.partitions.convert_tables import convert_tables
from console.retention.partitions.create_ahead import create_ahead
from console.retention.partitions.schema_lock import Busy


class Command(DatabaseCommand):
    """Partition decisions, events and samples over time."""

    help = (
        "Partition the tables of decisions, events and samples by PARTITION_ROWS, while Sluice "
        "is stopped."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Partition all tables that are not partitioned yet, and print their names."""
        if not settings.PARTITION_ROWS:
            raise CommandError("PARTITION_ROWS, the number of rows of a partition, is not set.")
        now = timezone.now()
        try:
            turned = convert_tables(now)
        except Busy as error:
            raise CommandError("The tables are in use; stop Sluice first.") from error
        create_ahead(now)
        for table in turned:
            self.stdout.write(f"{table} is partitioned.")
        if not turned:
            self.stdout.write("All tables are partitioned already.")
