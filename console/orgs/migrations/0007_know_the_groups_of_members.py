from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("orgs", "0006_know_the_person_who_invited"),
    ]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="groups",
            field=models.JSONField(db_default=[], default=list),
        ),
    ]
