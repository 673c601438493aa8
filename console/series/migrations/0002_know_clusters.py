"""
Knows series of clusters.

Django checks choices only in forms, so the columns do not change.
"""

from django.db import migrations, models

_KINDS = [("queue", "Queue"), ("cohort", "Cohort"), ("org", "Org"), ("nodes", "Cluster")]


class Migration(migrations.Migration):
    dependencies = [("series", "0001_create_series")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(name, "kind", models.CharField(choices=_KINDS, max_length=6))
                for name in ("SeriesPoint", "Tally", "QuotaLine")
            ]
        )
    ]
