"""Naming accounts for rooms whose rows they wrote."""

from collections.abc import Collection

from rensai.kit.db import Reads
from rensai.rooms.readers.model import USERNAME
from rensai.rooms.readers.model.people import Person
from rensai.rooms.readers.store import naming as store


async def people_of(reads: Reads, ids: Collection[int]) -> dict[int, Person]:
    """The names of these accounts, as everybody may know them; those that are gone are left out."""
    return {row.id: row for row in await store.people(reads, sorted(ids))} if ids else {}


async def person_named(reads: Reads, username: str) -> Person | None:
    """Who goes by that username, whatever its case."""
    return await store.named(reads, username) if USERNAME.fullmatch(username) else None
