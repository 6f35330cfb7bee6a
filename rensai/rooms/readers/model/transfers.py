"""Archives of what readers have, on their way out or in."""

from datetime import datetime, timedelta
from enum import Enum
from uuid import UUID

from msgspec import Struct

FORMAT = "rensai-reader-archive"
VERSION = 1
LINES_AT_ONCE = 500
"""How many lines of an archive are taken in within one transaction."""
STALE_AFTER = timedelta(days=1)
"""When one that has not ended by then has died with whoever worked on it."""


class Direction(Enum):
    """Out of this server, or into it."""

    EXPORT = "export"
    IMPORT = "import"


class FileCount(Struct, frozen=True, omit_defaults=True):
    """What became of one file of an archive: how many lines it has, how many were taken in."""

    lines: int
    taken: int | None = None


class Transfer(Struct, frozen=True):
    """An archive, as it is kept in the table; `files` is JSON of `FileCount` by name."""

    id: UUID
    user_id: int
    direction: str
    state: str
    archive_key: str
    archive_bytes: int | None
    lines_done: int
    files: str
    problem: str | None
    created_at: datetime
    ended_at: datetime | None
    expires_at: datetime


class Manifest(Struct, frozen=True, rename="camel"):
    """The first thing to look at in an archive: what it is, from where, and what is in it."""

    format: str
    version: int
    software: str
    instance: str
    username: str
    exported_at: datetime
    files: dict[str, int]


class ProfileFile(Struct, frozen=True, rename="camel"):
    """`profile.json`: the account itself."""

    username: str
    display_name: str
    bio: str
    email: str
    email_verified: bool
    role: str
    created_at: datetime
    fingerprint: str | None


class ArchiveUnreadable(Exception):
    """It is no archive of a reader; the message says why, and is safe to show."""
