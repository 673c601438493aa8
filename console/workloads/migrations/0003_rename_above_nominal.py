"""Renames the model `AboveNominal` to `OverQuota`; the table keeps its name."""

from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    """Only the state of models changes, so that processes of the previous version keep working."""

    dependencies = [("workloads", "0002_add_search_runs")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameModel("AboveNominal", "OverQuota"),
                migrations.AlterModelTable("OverQuota", "workloads_abovenominal"),
            ]
        )
    ]
