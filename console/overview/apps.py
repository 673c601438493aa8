"""The overview app: results that workers precompute for pages."""

from django.apps import AppConfig


class OverviewConfig(AppConfig):
    """Results that workers precompute for pages."""

    name = "console.overview"
    label = "overview"
    default_auto_field = "django.db.models.BigAutoField"
