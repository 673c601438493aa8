"""Adds the engine's times of running workloads; workloads that run already have none."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("workloads", "0010_know_pods"),
    ]

    operations = [
        migrations.AddField(
            model_name="workload",
            name="started",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="workload",
            name="short_since",
            field=models.BigIntegerField(null=True),
        ),
    ]
