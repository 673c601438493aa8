"""The overview app: what workers keep for whoever looks at many things at once."""

from django.apps import AppConfig


class OverviewConfig(AppConfig):
    """What workers keep for whoever looks at many things at once."""

    name = "console.overview"
    label = "overview"
    default_auto_field = "django.db.models.BigAutoField"
