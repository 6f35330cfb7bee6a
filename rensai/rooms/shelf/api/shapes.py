"""What `/api/v1` tells of who has written something, and the rights that it asks for."""

from uuid import UUID

from msgspec import Struct

from rensai.kit.errors import NotFound
from rensai.rooms.readers.door import Person

READ = {"scope": "library:read"}
WRITE = {"scope": "library:write"}
MODERATE = {"scope": "moderate:write"}
"""The rights that a token needs."""


class Someone(Struct, frozen=True, rename="camel"):
    """Somebody who has written something."""

    id: UUID
    username: str
    display_name: str

    @classmethod
    def of(cls, person: Person | None) -> "Someone | None":
        return None if person is None else cls(person.uid, person.username, person.display_name)


def require_uid(text: str, missing: type[NotFound] = NotFound) -> UUID:
    """A public id; what is no id at all is told like one that nobody has."""
    try:
        return UUID(text)
    except ValueError:
        raise missing from None
