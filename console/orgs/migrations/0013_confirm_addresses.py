from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("orgs", "0012_mark_simulated_history"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="address_confirmed_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="user",
            name="confirmation_sent_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="user",
            name="confirmations_sent",
            field=models.IntegerField(db_default=0, default=0),
        ),
    ]
