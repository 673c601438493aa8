from django.db import migrations
from django.utils import timezone

#: Accounts of one statement, so that their rows are not locked for long.
_AT_ONCE = 1_000


def confirm(apps, schema_editor):
    """
    Mark the addresses that the sign-in provider verified as confirmed.

    Other addresses stay unconfirmed, also those of members who already get e-mail: earlier versions
    did not ask whether their owner reads them.
    """
    users = apps.get_model("orgs", "User").objects
    last = 0
    while True:
        keys = users.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:_AT_ONCE]
        found = list(keys)
        if not found:
            return
        last = found[-1]
        verified = users.filter(pk__in=found, proof="provider", address_confirmed_at=None)
        verified.update(address_confirmed_at=timezone.now())


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("orgs", "0013_confirm_addresses"),
    ]

    operations = [
        migrations.RunPython(confirm, migrations.RunPython.noop),
    ]
