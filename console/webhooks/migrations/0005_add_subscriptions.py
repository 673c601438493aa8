import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("webhooks", "0004_know_handed_over_messages"),
        ("orgs", "0009_know_the_users_of_members"),
    ]

    operations = [
        migrations.AddField(
            model_name="webhook",
            name="is_digest",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="webhook",
            name="member",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="subscription",
                to="orgs.membership",
            ),
        ),
    ]
