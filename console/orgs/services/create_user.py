"""Create a person who can sign in."""

from __future__ import annotations

import secrets

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from console.errors import BadRequest, Conflict, FieldError
from console.orgs.models import User


def generate_password() -> str:
    """Return a password of 96 random bits."""
    return secrets.token_urlsafe(12)


def create_user(email: str, password: str) -> User:
    """
    Return a fresh person.

    Raise BadRequest for something that is not an e-mail address, and Conflict for
    one that is taken, in whatever case.
    """
    try:
        validate_email(email)
    except ValidationError as error:
        message = f"{email!r} is not an e-mail address."
        raise BadRequest([FieldError("email", "invalid_email", message)], message) from error
    try:
        with transaction.atomic():
            return User.objects.create_user(email, password)
    except IntegrityError as error:
        raise Conflict("user_exists", f"There is already a person with {email}.") from error


def find_or_create_user(email: str) -> tuple[User, str | None]:
    """Return the person with this address, and their password if they had to be created."""
    known = User.objects.filter(email__iexact=email).first()
    if known:
        return known, None
    password = generate_password()
    return create_user(email, password), password
