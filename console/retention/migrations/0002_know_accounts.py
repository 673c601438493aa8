"""
Knows the kind of rows of resource-time.

Django checks choices only in forms, so the columns do not change.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("retention", "0001_create_retention"),
    ]

    operations = [
        migrations.AlterField(
            model_name="forgotten",
            name="kind",
            field=models.CharField(
                choices=[
                    ("events", "Events"),
                    ("decisions", "Decisions"),
                    ("workloads", "Workloads"),
                    ("minutes", "Minutes"),
                    ("hours", "Hours"),
                    ("days", "Days"),
                    ("accounts", "Accounts"),
                    ("audit", "Audit"),
                    ("deliveries", "Deliveries"),
                    ("impacts", "Impacts"),
                    ("shapes", "Shapes"),
                    ("answers", "Answers"),
                    ("sessions", "Sessions"),
                    ("drafts", "Drafts"),
                    ("versions", "Versions"),
                ],
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="look",
            name="kind",
            field=models.CharField(
                choices=[
                    ("events", "Events"),
                    ("decisions", "Decisions"),
                    ("workloads", "Workloads"),
                    ("minutes", "Minutes"),
                    ("hours", "Hours"),
                    ("days", "Days"),
                    ("accounts", "Accounts"),
                    ("audit", "Audit"),
                    ("deliveries", "Deliveries"),
                    ("impacts", "Impacts"),
                    ("shapes", "Shapes"),
                    ("answers", "Answers"),
                    ("sessions", "Sessions"),
                    ("drafts", "Drafts"),
                    ("versions", "Versions"),
                ],
                max_length=12,
                primary_key=True,
                serialize=False,
            ),
        ),
    ]
