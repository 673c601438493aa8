"""Adds the usage of nodes by the workloads whose pods are bound to them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("orgs", "0001_create_orgs"),
        ("workloads", "0008_know_clusters"),
    ]

    operations = [
        migrations.CreateModel(
            name="NodeUsage",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=600)),
                ("cluster", models.CharField(max_length=253)),
                ("node", models.CharField(max_length=253)),
                ("used", models.JSONField()),
                (
                    "org",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="node_usage",
                        to="orgs.organization",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["org", "cluster"], name="node_usage_of_cluster"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=["org", "key"], name="one_usage_per_node"),
                ],
            },
        ),
    ]
