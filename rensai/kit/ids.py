"""Public identifiers: UUIDv7, which sort by the time they were made."""

from uuid import UUID

from uuid_utils.compat import uuid7


def new_uid() -> UUID:
    """A new time-ordered identifier for anything the outside world can name."""
    return uuid7()
