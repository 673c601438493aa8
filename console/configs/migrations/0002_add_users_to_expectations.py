"""Adds the user and groups of the workload to expectations."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("configs", "0001_create_configs")]

    operations = [
        migrations.AddField(
            "Expectation",
            "user",
            models.CharField(max_length=200, blank=True, default="", db_default=""),
        ),
        migrations.AddField("Expectation", "groups", models.JSONField(default=list, null=True)),
    ]
