"""Names the rows of queues over their quota after what they hold; the table keeps its name."""

from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    """The table stays as it is, so that a version without this migration goes on beside it."""

    dependencies = [("workloads", "0002_add_search_runs")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameModel("AboveNominal", "OverQuota"),
                migrations.AlterModelTable("OverQuota", "workloads_abovenominal"),
            ]
        )
    ]
