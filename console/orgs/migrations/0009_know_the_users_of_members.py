from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("orgs", "0008_know_the_users_of_tokens"),
    ]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="user_name",
            field=models.CharField(blank=True, db_default="", default="", max_length=200),
        ),
    ]
