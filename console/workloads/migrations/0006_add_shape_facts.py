"""Adds the optional facts of recorded shapes; no row is rewritten."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workloads", "0005_add_workload_facts")]

    operations = [
        migrations.AddField("RecordedShape", "facts", models.JSONField(null=True)),
    ]
