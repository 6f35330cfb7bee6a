"""SQL of the names of accounts."""

from collections.abc import Sequence

from rensai.kit.db import Query, Reads
from rensai.rooms.readers.model.people import Person

_PERSON = "id, uid, username, display_name, portable_key_fingerprint AS fingerprint"
_PEOPLE = Query(
    f"SELECT {_PERSON} FROM users WHERE id = ANY($1::bigint []) AND deleted_at IS NULL", Person
)
_NAMED = Query(
    f"SELECT {_PERSON} FROM users WHERE lower(username) = lower($1) AND deleted_at IS NULL", Person
)


async def people(reads: Reads, ids: Sequence[int]) -> list[Person]:
    return await reads.all(_PEOPLE, list(ids))


async def named(reads: Reads, username: str) -> Person | None:
    """By username, whatever its case."""
    return await reads.first(_NAMED, username)
