"""Adds what other schedulers use of a node; nothing is known of present nodes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("capacity", "0001_create_capacity"),
    ]

    operations = [
        migrations.AddField(
            model_name="node",
            name="taken",
            field=models.JSONField(null=True),
        ),
    ]
