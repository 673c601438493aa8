"""The series app: samples over time and their roll-ups."""

from django.apps import AppConfig


class SeriesConfig(AppConfig):
    """Samples over time and their roll-ups."""

    name = "console.series"
    label = "series"
    default_auto_field = "django.db.models.BigAutoField"
