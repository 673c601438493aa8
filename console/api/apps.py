"""The API app."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    """The product's HTTP API."""

    name = "console.api"
    label = "api"
