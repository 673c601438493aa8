"""
Knows requests to the engine and events about clusters.

Django checks choices only in forms, so the columns do not change.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workloads", "0007_add_engine_times")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    "Event",
                    "type",
                    models.CharField(
                        choices=[
                            ("CONFIG_UPDATED", "Config Updated"),
                            ("REQUEST_SUBMITTED", "Request Submitted"),
                            ("REQUEST_QUEUED", "Request Queued"),
                            ("REQUEST_ADMITTED", "Request Admitted"),
                            ("REQUEST_REJECTED", "Request Rejected"),
                            ("REQUEST_PREEMPTED", "Request Preempted"),
                            ("REQUEST_REQUEUED", "Request Requeued"),
                            ("REQUEST_RELEASED", "Request Released"),
                            ("REQUEST_FULFILLED", "Request Fulfilled"),
                            ("REQUEST_ABORTED", "Request Aborted"),
                            ("REQUEST_FAILED", "Request Failed"),
                            ("REQUEST_FALLBACK", "Request Fallback"),
                            ("QUOTA_BORROWED", "Quota Borrowed"),
                            ("QUOTA_RECLAIMED", "Quota Reclaimed"),
                            ("EXPECTATION_SAVED", "Expectation Saved"),
                            ("EXPECTATION_DELETED", "Expectation Deleted"),
                            ("QUEUE_HELD", "Queue Held"),
                            ("QUEUE_RESUMED", "Queue Resumed"),
                            ("CLUSTER_REGISTERED", "Cluster Registered"),
                            ("CLUSTER_CHANGED", "Cluster Changed"),
                            ("CLUSTER_SILENT", "Cluster Silent"),
                            ("CLUSTER_RETURNED", "Cluster Returned"),
                            ("CLUSTER_DELETED", "Cluster Deleted"),
                        ],
                        max_length=20,
                    ),
                ),
                migrations.AlterField(
                    "Intake",
                    "kind",
                    models.CharField(
                        choices=[
                            ("submit", "Submit"),
                            ("finish", "Finish"),
                            ("withdraw", "Withdraw"),
                            ("release", "Release"),
                            ("policy", "Policy"),
                            ("hold", "Hold"),
                            ("resume", "Resume"),
                            ("capacity", "Capacity"),
                        ],
                        max_length=10,
                    ),
                ),
            ]
        )
    ]
