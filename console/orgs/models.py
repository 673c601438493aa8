"""Organizations, the people and tokens that act in them, and their roles."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower


class UserManager(BaseUserManager["User"]):
    """Creates people by e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Create a person; without *password* they cannot sign in."""
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> User:
        """Find a person by e-mail address, whatever its case."""
        # As the unique constraint has it: LIKE, which `iexact` becomes, fails on long texts.
        return self.alias(folded=Lower("email")).get(folded=Lower(models.Value(username)))


class User(AbstractUser):
    """A person, known by e-mail address."""

    username = None  # type: ignore[assignment]
    email = models.EmailField("e-mail address", unique=True)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects: ClassVar[UserManager] = UserManager()  # type: ignore[assignment]

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="one_user_per_email")]

    def __str__(self) -> str:
        return self.email


class Role(models.TextChoices):
    """What a member or token may do; see `console.orgs.permissions`."""

    VIEWER = "viewer"
    SUBMITTER = "submitter"
    OPERATOR = "operator"
    EDITOR = "editor"
    OWNER = "owner"


class Organization(models.Model):
    """A tenant: one scheduler config, its workloads and its people."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.slug


class Membership(models.Model):
    """A person's role in an organization."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role.choices)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["org", "user"], name="one_membership_per_person")
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.org}"


class ApiToken(models.Model):
    """A secret that acts in one organization with one role; only its SHA-256 is kept."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100)
    role = models.CharField(max_length=12, choices=Role.choices)
    #: The first characters of the secret, to recognize it in lists.
    prefix = models.CharField(max_length=16)
    digest = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    #: Written at most once a minute, so that traffic does not become writes.
    last_used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.prefix}… ({self.role} of {self.org})"
