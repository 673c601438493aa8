"""The webhooks app: receivers, messages and the delivery log."""

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """Receivers, messages and the delivery log."""

    name = "console.webhooks"
    label = "webhooks"
    default_auto_field = "django.db.models.BigAutoField"
