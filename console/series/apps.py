"""The series app: samples over time and what they are rolled up to."""

from django.apps import AppConfig


class SeriesConfig(AppConfig):
    """Samples over time and what they are rolled up to."""

    name = "console.series"
    label = "series"
    default_auto_field = "django.db.models.BigAutoField"
