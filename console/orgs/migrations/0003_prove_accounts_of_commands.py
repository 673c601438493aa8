from django.db import migrations
from django.db.models import Exists, OuterRef
from django.db.models.functions import Lower

#: Accounts of one statement, so that their rows are not locked for long.
_AT_ONCE = 1_000


def prove(apps, schema_editor):
    """
    Mark the accounts that commands created.

    Earlier versions created an account through an invitation or by a command. Invitations are kept,
    so an account that is older than every invitation for its address was created by a command.
    """
    users = apps.get_model("orgs", "User").objects
    invitations = apps.get_model("orgs", "Invitation").objects
    earlier = (
        invitations.alias(folded=Lower("email"))
        .filter(created_at__lte=OuterRef("date_joined"))
        .filter(folded=Lower(OuterRef("email")))
    )
    last = 0
    while True:
        keys = users.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:_AT_ONCE]
        found = list(keys)
        if not found:
            return
        last = found[-1]
        made_by_command = users.filter(pk__in=found, proof="unknown").filter(~Exists(earlier))
        chosen = list(made_by_command.values_list("pk", flat=True))
        users.filter(pk__in=chosen, proof="unknown").update(proof="operator")


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("orgs", "0002_know_what_proves_an_account"),
    ]

    operations = [
        migrations.RunPython(prove, migrations.RunPython.noop),
    ]
