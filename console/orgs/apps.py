"""The orgs app: organizations, people, roles and tokens."""

from django.apps import AppConfig


class OrgsConfig(AppConfig):
    """Organizations, people, roles and tokens."""

    name = "console.orgs"
    label = "orgs"
    default_auto_field = "django.db.models.BigAutoField"
