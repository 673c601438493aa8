from django.db import migrations, models

from console.migrating.operations import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("configs", "0005_record_draft_editors"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="reviewrequest",
            index=models.Index(
                fields=["org", "base"],
                condition=models.Q(("state", "waiting")),
                name="review_waiting",
            ),
        ),
    ]
