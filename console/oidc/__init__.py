"""Sign-in through an OpenID Connect provider, by way of django-allauth; off unless configured."""
