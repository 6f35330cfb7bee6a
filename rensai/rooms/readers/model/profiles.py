"""What others may see of an account, and what those who run the site may."""

from datetime import datetime
from enum import Enum
from uuid import UUID

from msgspec import Struct

LONGEST_NAME = 100
LONGEST_BIO = 5000
LONGEST_REASON = 1000


class Profile(Struct, frozen=True):
    """An account, as everybody may see it."""

    uid: UUID
    username: str
    display_name: str
    bio: str
    role: str
    created_at: datetime
    portable_key_fingerprint: str | None


class Person(Struct, frozen=True):
    """An account, as those see it who run the site."""

    id: int
    uid: UUID
    username: str
    email: str
    email_verified: bool
    display_name: str
    role: str
    is_active: bool
    is_banned: bool
    ban_reason: str | None
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None


class Action(Struct, frozen=True):
    """Something that was done to an account; `actor` is None for the command line."""

    id: int
    action: str
    detail: str
    actor: str | None
    created_at: datetime


class SearchBy(Enum):
    """What the beginning of is looked for."""

    NAME = "name"
    EMAIL = "email"


class PersonChange(Struct, frozen=True):
    """What is to be different about an account; None leaves it as it is."""

    role: str | None = None
    is_banned: bool | None = None
    ban_reason: str | None = None
    is_active: bool | None = None
    email_verified: bool | None = None


class Wanted(Struct, frozen=True):
    """Which accounts somebody looks for: all, or by one of these."""

    beginning: str | None = None
    by: SearchBy = SearchBy.NAME
    role: str | None = None
    banned: bool = False
