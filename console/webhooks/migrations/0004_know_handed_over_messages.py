from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("webhooks", "0003_add_review_kinds"),
    ]

    operations = [
        migrations.AddField(
            model_name="delivery",
            name="handed_over_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AlterField(
            model_name="delivery",
            name="kind",
            field=models.CharField(
                choices=[
                    ("workload.admitted", "Workload admitted"),
                    ("workload.rejected", "Workload rejected"),
                    ("workload.cannot_run", "Workload can never run"),
                    ("workload.preempted", "Workload preempted"),
                    ("config.applied", "Config applied"),
                    ("config.reverted", "Config reverted"),
                    ("config.revert_failed", "Config revert failed"),
                    ("config.review_opened", "Config review requested"),
                    ("config.approved", "Config change approved"),
                    ("config.needs_changes", "Config changes requested"),
                    ("workload.digest", "Daily digest"),
                    ("test", "Test"),
                ],
                max_length=20,
            ),
        ),
    ]
