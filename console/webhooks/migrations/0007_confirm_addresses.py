from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("webhooks", "0006_know_failed_changes"),
    ]

    operations = [
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
                    ("config.change_failed", "Scheduled change not made"),
                    ("config.review_opened", "Config review requested"),
                    ("config.approved", "Config change approved"),
                    ("config.needs_changes", "Config changes requested"),
                    ("workload.digest", "Daily digest"),
                    ("test", "Test"),
                    ("address.confirm", "Confirmation of your address"),
                ],
                max_length=20,
            ),
        ),
    ]
