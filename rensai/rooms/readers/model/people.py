"""What everybody may know of an account."""

from uuid import UUID

import msgspec


class Person(msgspec.Struct, frozen=True):
    """An account as the author of something."""

    id: int
    uid: UUID
    username: str
    display_name: str
    fingerprint: str | None
    """Of the portable identity: the same on every server."""
