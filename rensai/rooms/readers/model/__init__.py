"""The words of the room: accounts, roles and sessions."""

import re
from datetime import datetime
from enum import IntEnum
from uuid import UUID

import msgspec

USERNAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{1,58})[A-Za-z0-9_]")
EMAIL = re.compile(r"[^@\s\x00-\x1f\x7f]{1,64}@[^@\s\x00-\x1f\x7f]{1,189}")
PASSWORD_LENGTH = (8, 128)


class Role(IntEnum):
    """What an account may do; each includes those before it."""

    USER = 0
    UPLOADER = 1
    MODERATOR = 2
    ADMIN = 3


class User(msgspec.Struct, frozen=True):
    """An account, as the rest of the server may see it."""

    id: int
    uid: UUID
    username: str
    email: str
    display_name: str
    bio: str
    role: str
    is_active: bool
    is_banned: bool
    email_verified: bool
    created_at: datetime

    def may(self, role: Role) -> bool:
        """Whether this account has at least that role."""
        return Role[self.role.upper()] >= role


class Credentials(msgspec.Struct, frozen=True):
    """What signing in is checked against."""

    id: int
    password_hash: str
    is_active: bool
    is_banned: bool


class Created(msgspec.Struct, frozen=True):
    """A new account, and the only sight of its twelve words."""

    user: User
    phrase: str


class Checked(msgspec.Struct, frozen=True):
    """Credentials that were right; `rehashed` replaces a hash of yesterday's kind."""

    credentials: Credentials
    rehashed: str | None


class OpenSession(msgspec.Struct, frozen=True):
    """A session that has begun; the token goes into the cookie and nowhere else."""

    user: User
    token: str
    expires_at: datetime
