"""Creates accounts, their hours, and how far they are counted."""

import django.db.models.deletion
from django.db import migrations, models

import console.workloads.fields


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("orgs", "0009_know_the_users_of_members"),
    ]

    operations = [
        migrations.CreateModel(
            name="AccountClock",
            fields=[
                (
                    "org",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="account_clock",
                        serialize=False,
                        to="orgs.organization",
                    ),
                ),
                ("engine_version", models.BigIntegerField()),
                ("since", models.BigIntegerField()),
                ("counted_until", models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="Account",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                ("queue", models.CharField(max_length=500)),
                ("user", models.CharField(max_length=200)),
                ("project", models.CharField(max_length=200)),
                ("labels", models.JSONField()),
                ("flavor", models.CharField(max_length=500)),
                ("resource", models.CharField(max_length=500)),
                ("held", console.workloads.fields.ExactIntegerField(default=0)),
                (
                    "org",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="orgs.organization",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="AccountedHour",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("hour", models.IntegerField()),
                ("high", models.BigIntegerField()),
                ("low", models.BigIntegerField()),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="hours",
                        to="accounting.account",
                    ),
                ),
                (
                    "org",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="orgs.organization",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="account",
            index=models.Index(
                condition=models.Q(("held", "0"), _negated=True),
                fields=["org"],
                name="account_that_holds",
            ),
        ),
        migrations.AddConstraint(
            model_name="account",
            constraint=models.UniqueConstraint(
                fields=("org", "digest"), name="one_account_per_consumer"
            ),
        ),
        migrations.AddConstraint(
            model_name="accountedhour",
            constraint=models.UniqueConstraint(
                fields=("org", "hour", "account"), name="one_row_per_accounted_hour"
            ),
        ),
    ]
