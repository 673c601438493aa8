"""Organizations, the people and tokens that act in them, and their roles."""

from __future__ import annotations

import secrets
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone


def new_uid() -> str:
    """Return a fresh name that nobody can guess."""
    return secrets.token_hex(16)


class UserManager(BaseUserManager["User"]):
    """Creates and finds accounts by e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Create a person; without *password* they cannot sign in."""
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> User:
        """Find the account that counts in every organization by its address, in any case."""
        return self.with_address(username).exclude(proof=Proof.INVITATION).get()

    def with_address(self, email: str | None) -> models.QuerySet[User]:
        """Return the accounts of an address, in any case: see `User`."""
        # As the index has it: LIKE, which `iexact` becomes, fails on long texts.
        return self.alias(folded=Lower("email")).filter(folded=Lower(models.Value(email)))


class Proof(models.TextChoices):
    """What shows that an account belongs to the person with its e-mail address."""

    #: Its password was handed out on the command line, or its owner confirmed there.
    OPERATOR = "operator"
    #: The sign-in provider verified the address.
    PROVIDER = "provider"
    #: Its password was chosen through the link of one organization's invitation.
    INVITATION = "invitation"
    #: A version that did not record it made the account, perhaps through an invitation.
    UNKNOWN = "unknown"


class User(AbstractUser):
    """
    An account, known by e-mail address.

    An address has at most one account that counts in every organization. An owner who invites
    an address knows the link and can choose the password of what it begins, so an account that
    was begun by an invitation counts in the organization of the invitation alone, and the address
    can have several of them: none reaches what another one can.
    """

    username = None  # type: ignore[assignment]
    email = models.EmailField("e-mail address")
    proof = models.CharField(
        max_length=10, choices=Proof.choices, default=Proof.UNKNOWN, db_default=Proof.UNKNOWN
    )
    #: The organization whose invitation it was; only with `Proof.INVITATION`.
    proven_in = models.ForeignKey(
        "Organization", null=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects: ClassVar[UserManager] = UserManager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                Lower("email"),
                condition=~models.Q(proof="invitation"),
                name="one_proven_account_per_address",
            )
        ]
        indexes = [models.Index(Lower("email"), name="account_by_address")]

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
    joined_at = models.DateTimeField(default=timezone.now)
    #: When they last looked at a page or asked the API; written every few minutes at most.
    last_active_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["org", "user"], name="one_membership_per_person")
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.org}"


class Invitation(models.Model):
    """A link by which the person of one address may join; only its secret's SHA-256 is kept."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField("e-mail address")
    role = models.CharField(max_length=12, choices=Role.choices)
    digest = models.CharField(max_length=64, unique=True)
    #: The inviting person, who may have used a token; None for commands and rows of old versions.
    created_by = models.ForeignKey(
        User, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    #: The actor's name at that time, as in audit entries.
    author = models.CharField(max_length=254)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                models.F("org"),
                Lower("email"),
                condition=models.Q(accepted_at=None, revoked_at=None),
                name="one_open_invitation_per_address",
            )
        ]

    def __str__(self) -> str:
        return f"{self.email} as {self.role} of {self.org}"


class ApiToken(models.Model):
    """A secret that acts in one organization with one role; only its SHA-256 is kept."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100)
    role = models.CharField(max_length=12, choices=Role.choices)
    #: The first characters of the secret, to recognize it in lists.
    prefix = models.CharField(max_length=16)
    digest = models.CharField(max_length=64, unique=True)
    #: The person it belongs to, who made it or the token that made it; None for commands.
    #: It never grants more than their role does: `console.orgs.services.end_tokens`.
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL)
    #: The maker's name at that time, as in audit entries.
    author = models.CharField(max_length=254)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    #: The one that takes its place, when it was rotated.
    successor = models.ForeignKey("self", null=True, on_delete=models.SET_NULL)
    #: Its last use, as `console.caller.Caller`: written at most once a minute, so that traffic
    #: does not become writes.
    last_used_at = models.DateTimeField(null=True)
    last_used_ip = models.CharField(max_length=45, blank=True)
    last_used_agent = models.CharField(max_length=300, blank=True)

    class Meta:
        indexes = [models.Index(fields=["org", "-id"], name="token_newest")]

    def __str__(self) -> str:
        return f"{self.prefix}… ({self.role} of {self.org})"


class BrowserSession(models.Model):
    """A browser that keeps coming back, with or without somebody signed in."""

    #: Of the key that the cookie holds: who reads this row cannot come back as that browser.
    digest = models.CharField(max_length=64, primary_key=True)
    session_data = models.TextField()
    expire_date = models.DateTimeField(db_index=True)
    #: Names it on pages.
    uid = models.CharField(max_length=32, unique=True, default=new_uid)
    user = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="sessions")
    created_at = models.DateTimeField(default=timezone.now)
    #: Its last request, as `console.caller.Caller`; written at most once a minute.
    last_seen_at = models.DateTimeField(default=timezone.now)
    ip = models.CharField(max_length=45, blank=True)
    agent = models.CharField(max_length=300, blank=True)

    def __str__(self) -> str:
        return f"{self.uid} of {self.user}"

    def save(self, *, force_update: bool = False, **options: Any) -> None:
        """Write the row; a later write leaves alone when and where the session began."""
        if force_update:
            options["update_fields"] = ("session_data", "expire_date", "user")
        super().save(force_update=force_update, **options)


class AuditEntry(models.Model):
    """
    Something that a person or a token did: written once, by `console.orgs.audit`.

    *number* and *digest* are added once, when the entry is sealed into the chain of its
    organization; see `console.orgs.chain`.
    """

    # The indexes below begin with it.
    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="audit", db_index=False
    )
    #: One of `console.orgs.audit.ACTIONS`.
    action = models.CharField(max_length=40)
    #: One of `console.orgs.audit.KINDS`, and which one of them.
    kind = models.CharField(max_length=20)
    subject = models.CharField(max_length=500)
    #: E-mail address of a person or name of a token, and "user:7" or "token:3".
    actor = models.CharField(max_length=254)
    actor_key = models.CharField(max_length=40)
    #: What was so before and is so afterwards; None where there is nothing to say.
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    #: As `console.caller.Caller`; empty for commands.
    ip = models.CharField(max_length=45, blank=True)
    agent = models.CharField(max_length=300, blank=True)
    request_id = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    #: Its place in the chain, from 1 without gaps; None until it is sealed.
    number = models.BigIntegerField(null=True)
    digest = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["org", "number"], name="one_audit_entry_per_number")
        ]
        indexes = [
            models.Index(fields=["org", "-id"], name="audit_newest"),
            models.Index(fields=["org", "action", "-id"], name="audit_by_action"),
            models.Index(fields=["org", "actor", "-id"], name="audit_by_name"),
            models.Index(fields=["org", "actor_key", "-id"], name="audit_by_actor"),
            models.Index(fields=["org", "subject", "-id"], name="audit_by_subject"),
            models.Index(fields=["org", "ip", "-id"], name="audit_by_address"),
            models.Index(fields=["org", "request_id", "-id"], name="audit_by_request"),
            models.Index(
                fields=["org", "id"], condition=models.Q(number=None), name="audit_unsealed"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.actor}: {self.action} {self.subject}"


class AuditChain(models.Model):
    """Where the chain of an organization's audit entries begins and ends."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="audit_chain"
    )
    #: Number and digest of the newest sealed entry; 0 and empty before the first.
    number = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=64, blank=True)
    #: Those of the newest entry that is not kept any more.
    base_number = models.BigIntegerField(default=0)
    base_digest = models.CharField(max_length=64, blank=True)

    def __str__(self) -> str:
        return f"{self.org} up to {self.number}"
