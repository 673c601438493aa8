"""Create an account, for commands."""

from __future__ import annotations

import secrets

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from console.errors import BadRequest, Conflict, FieldError
from console.orgs.models import Proof, User


def generate_password() -> str:
    """Return a password of 96 random bits."""
    return secrets.token_urlsafe(12)


def create_user(email: str, password: str | None) -> User:
    """
    Create and return an account that is valid in every organization.

    With None as *password*, it cannot sign in until one is set.
    Raises BadRequest for an invalid e-mail address, and Conflict if the address, ignoring case,
    already has such an account.
    """
    try:
        validate_email(email)
    except ValidationError as error:
        message = f"{email!r} is not an e-mail address."
        raise BadRequest([FieldError("email", "invalid_email", message)], message) from error
    try:
        with transaction.atomic():
            return User.objects.create_user(email, password, proof=Proof.OPERATOR)
    except IntegrityError as error:
        raise Conflict("user_exists", f"There is already an account of {email}.") from error
