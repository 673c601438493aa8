"""Addresses of the pages."""

app_name = "pages"
urlpatterns = []
