"""
Adds the usage history of organizations whose policy reads one, and requests about it.

Django checks choices only in forms, so their column does not change.
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("orgs", "0006_know_the_person_who_invited"),
        ("workloads", "0011_add_running_times"),
    ]

    operations = [
        migrations.CreateModel(
            name="UsageHistory",
            fields=[
                (
                    "org",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="usage_history",
                        serialize=False,
                        to="orgs.organization",
                    ),
                ),
                ("measured_at", models.BigIntegerField(null=True)),
                ("parts", models.JSONField(default=dict)),
            ],
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="intake",
                    name="kind",
                    field=models.CharField(
                        choices=[
                            ("submit", "Submit"),
                            ("finish", "Finish"),
                            ("withdraw", "Withdraw"),
                            ("release", "Release"),
                            ("policy", "Policy"),
                            ("hold", "Hold"),
                            ("resume", "Resume"),
                            ("capacity", "Capacity"),
                            ("pods", "Pods"),
                            ("usage", "Usage"),
                        ],
                        max_length=10,
                    ),
                ),
            ],
        ),
    ]
