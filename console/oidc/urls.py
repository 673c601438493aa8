"""URLs of sign-in through the provider; django-allauth's own URLs are not included."""

from django.urls import path

from console.oidc import views

app_name = "oidc"

urlpatterns = [
    path("", views.begin, name="begin"),
    path("/callback", views.finish, name="finish"),
]
