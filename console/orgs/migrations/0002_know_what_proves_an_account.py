import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("orgs", "0001_create_orgs"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="proof",
            field=models.CharField(
                choices=[
                    ("operator", "Operator"),
                    ("provider", "Provider"),
                    ("invitation", "Invitation"),
                    ("unknown", "Unknown"),
                ],
                db_default="unknown",
                default="unknown",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="proven_in",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="orgs.organization",
            ),
        ),
    ]
