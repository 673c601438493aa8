from django.db import migrations, models
from django.db.models.functions import Lower

from console.migrating.operations import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("orgs", "0003_prove_accounts_of_commands"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="user",
            index=models.Index(Lower("email"), name="account_by_address"),
        ),
    ]
