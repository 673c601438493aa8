from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("orgs", "0014_confirm_addresses_of_the_provider"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="can_create_orgs",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
