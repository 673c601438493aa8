"""The webhooks app: who is told what, and how each delivery went."""

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """Who is told what, and how each delivery went."""

    name = "console.webhooks"
    label = "webhooks"
    default_auto_field = "django.db.models.BigAutoField"
