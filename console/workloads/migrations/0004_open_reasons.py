"""
Allows any code as a reason.

Django checks choices only in forms, so the columns do not change.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workloads", "0003_rename_above_nominal")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    "Workload", "reason", models.CharField(max_length=32, default="not_evaluated")
                ),
                migrations.AlterField("Decision", "reason", models.CharField(max_length=32)),
                migrations.AlterField("PendingClass", "reason", models.CharField(max_length=32)),
            ]
        )
    ]
