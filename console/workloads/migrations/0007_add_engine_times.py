"""Adds the time to which each engine has advanced, and its next wakeup."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workloads", "0006_add_shape_facts")]

    operations = [
        migrations.AddField("Engine", "advanced_to", models.BigIntegerField(null=True)),
        migrations.AddField("Engine", "wakes_at", models.BigIntegerField(null=True)),
    ]
