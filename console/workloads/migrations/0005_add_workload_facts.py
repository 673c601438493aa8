"""Adds the optional facts of workloads; no row is rewritten."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workloads", "0004_open_reasons")]

    operations = [
        migrations.AddField("Workload", "facts", models.JSONField(null=True)),
    ]
