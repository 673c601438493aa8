"""Sign-in through an OpenID Connect provider, with django-allauth; off unless configured."""
