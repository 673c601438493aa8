from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("orgs", "0007_know_the_groups_of_members"),
    ]

    operations = [
        migrations.AddField(
            model_name="apitoken",
            name="groups",
            field=models.JSONField(db_default=[], default=list),
        ),
        migrations.AddField(
            model_name="apitoken",
            name="user_name",
            field=models.CharField(blank=True, db_default="", default="", max_length=200),
        ),
    ]
