"""Adds when workloads became pending."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workloads", "0012_add_usage_history")]

    operations = [
        migrations.AddField("Workload", "pending_since", models.BigIntegerField(null=True)),
    ]
