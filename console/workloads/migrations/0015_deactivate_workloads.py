"""
Adds deactivated workloads and maximum run times, with their requests and events.

Django checks choices only in forms, so the columns of requests and events do not change.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("workloads", "0014_allow_priority_changes"),
    ]

    operations = [
        migrations.AddField("Workload", "inactive", models.CharField(max_length=32, null=True)),
        migrations.AddField("Workload", "max_run_time", models.BigIntegerField(null=True)),
        migrations.AddField("Workload", "past_run_time", models.BigIntegerField(null=True)),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="event",
                    name="type",
                    field=models.CharField(
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
                            ("PODS_RESIZED", "Pods Resized"),
                            ("PODS_FINISHED", "Pods Finished"),
                            ("PODS_RELEASED", "Pods Released"),
                            ("PRIORITY_CHANGED", "Priority Changed"),
                            ("DEACTIVATED", "Deactivated"),
                            ("ACTIVATED", "Activated"),
                        ],
                        max_length=20,
                    ),
                ),
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
                            ("priority", "Priority"),
                            ("deactivate", "Deactivate"),
                            ("activate", "Activate"),
                        ],
                        max_length=10,
                    ),
                ),
            ]
        ),
    ]
