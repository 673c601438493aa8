"""Addresses of signing in through the provider; there are no others of django-allauth."""

from django.urls import path

from console.oidc import views

app_name = "oidc"

urlpatterns = [
    path("", views.begin, name="begin"),
    path("/callback", views.finish, name="finish"),
]
