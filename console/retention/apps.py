"""The retention app: when what is only kept for a while was looked through and forgotten."""

from django.apps import AppConfig


class RetentionConfig(AppConfig):
    """When what is only kept for a while was looked through and forgotten."""

    name = "console.retention"
    label = "retention"
    default_auto_field = "django.db.models.BigAutoField"
