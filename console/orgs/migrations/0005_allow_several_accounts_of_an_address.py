from django.db import migrations, models
from django.db.models.functions import Lower


class Migration(migrations.Migration):
    dependencies = [
        ("orgs", "0004_find_accounts_by_address"),
    ]

    operations = [
        migrations.AddConstraint(
            model_name="user",
            constraint=models.UniqueConstraint(
                Lower("email"),
                condition=~models.Q(proof="invitation"),
                name="one_proven_account_per_address",
            ),
        ),
        migrations.RemoveConstraint(model_name="user", name="one_user_per_email"),
        migrations.AlterField(
            model_name="user",
            name="email",
            field=models.EmailField(max_length=254, verbose_name="e-mail address"),
        ),
    ]
