"""The accounting app: resource-hours by queue, user, project, label and flavor."""

from django.apps import AppConfig


class AccountingConfig(AppConfig):
    """Resource-hours by queue, user, project, label and flavor."""

    name = "console.accounting"
    label = "accounting"
    default_auto_field = "django.db.models.BigAutoField"
