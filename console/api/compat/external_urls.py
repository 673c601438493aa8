"""URLs of the client's external API, under /ext/v0."""

from django.urls import path, re_path

from console.api.compat.base import NoSuchAddress
from console.api.compat.events import ExportedEvents

app_name = "compat-external"

urlpatterns = [
    path("scheduler/events", ExportedEvents.as_view(), name="events"),
    re_path("", NoSuchAddress.as_view(), name="no-such-address"),
]
