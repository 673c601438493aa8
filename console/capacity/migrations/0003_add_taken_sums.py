"""Adds the sums of what other schedulers use of the nodes of a cluster."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("capacity", "0002_add_taken_amounts"),
    ]

    operations = [
        migrations.AddField(
            model_name="cluster",
            name="taken",
            field=models.JSONField(null=True),
        ),
    ]
