"""The names of accounts, as everybody may know them."""

import pytest

from rensai.kit.db import Command, Database
from rensai.rooms.readers import door
from tests.rooms.readers.accounts import an_admin

pytestmark = pytest.mark.anyio

_GONE = Command("UPDATE users SET deleted_at = now() WHERE id = $1")


async def test_people_are_named_until_they_are_gone(database: Database) -> None:
    ada = (await an_admin(database, "ada")).user
    bea = (await an_admin(database, "bea", another=True)).user
    reads = database.primary
    found = await door.people_of(reads, [ada.id, bea.id, 999_999])
    assert {id_: one.username for id_, one in found.items()} == {ada.id: "ada", bea.id: "bea"}
    assert (found[ada.id].uid, found[ada.id].display_name) == (ada.uid, "ada")
    assert len(found[ada.id].fingerprint or "") == 32
    assert await door.person_named(reads, "ADA") == found[ada.id]
    assert await door.person_named(reads, "nobody") is None
    assert await door.person_named(reads, "no such\x00name") is None
    async with database.transaction() as tx:
        await tx.run(_GONE, ada.id)
    assert set(await door.people_of(reads, [ada.id, bea.id])) == {bea.id}
    assert await door.person_named(reads, "ada") is None
    assert await door.people_of(reads, []) == {}
