"""The supervisor app: commands that start the processes of one machine; it has no models."""

from django.apps import AppConfig


class SupervisorConfig(AppConfig):
    """Commands that start the processes of one machine."""

    name = "console.supervisor"
    label = "supervisor"
