"""Adds the index by which the invitations of a signed-in person are found."""

from django.db import migrations, models
from django.db.models.functions import Lower

from console.migrating.operations import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("orgs", "0010_require_approval"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="invitation",
            index=models.Index(
                Lower("email"),
                condition=models.Q(accepted_at=None, revoked_at=None),
                name="open_invitation_by_address",
            ),
        ),
    ]
