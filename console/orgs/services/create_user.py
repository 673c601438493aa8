"""Create an account on behalf of the operator of the console."""

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


def create_user(email: str, password: str) -> User:
    """
    Return a fresh account, which counts in every organization.

    Raise BadRequest for something that is not an e-mail address, and Conflict for
    one that has such an account, in whatever case.
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
        raise Conflict("user_exists", f"There is already a person with {email}.") from error
