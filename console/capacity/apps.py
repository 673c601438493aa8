"""The capacity app: clusters and nodes, as their agents report them."""

from django.apps import AppConfig


class CapacityConfig(AppConfig):
    """Clusters and nodes, as their agents report them."""

    name = "console.capacity"
    label = "capacity"
    default_auto_field = "django.db.models.BigAutoField"
