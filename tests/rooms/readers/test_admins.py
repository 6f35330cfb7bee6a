"""Making administrators."""

import asyncio

import pytest

from rensai.kit.clock import SetClock
from rensai.kit.db import Database, Query, Tx
from rensai.kit.errors import Invalid
from rensai.rooms.readers import service
from rensai.rooms.readers.adapters import portable
from rensai.rooms.readers.errors import AdminExists, NameTaken
from rensai.rooms.readers.model import Created, Role
from tests.rooms.readers.accounts import NOON, PASSWORD, an_admin

pytestmark = pytest.mark.anyio

_STORED = Query(
    """SELECT concat_ws(' ', portable_public_key, portable_key_fingerprint, password_hash) AS line
    FROM users""",
    str,
)


async def _make(
    tx: Tx, username: str, email: str = "a@example.com", password: str = PASSWORD
) -> Created:
    return await service.create_admin(
        tx, username=username, email=email, password=password, clock=SetClock(NOON)
    )


async def test_an_admin_has_an_identity_whose_words_are_not_stored(database: Database) -> None:
    created = await an_admin(database)
    assert created.user.may(Role.ADMIN)
    assert created.user.created_at == NOON
    identity = portable.identity_of(created.phrase)
    (line,) = await database.primary.all(_STORED)
    assert line.startswith(f"{identity.public_key} {identity.fingerprint} $argon2id$")
    assert not set(created.phrase.split()) & set(line.split())


async def test_a_second_admin_must_be_asked_for(database: Database) -> None:
    await an_admin(database)
    with pytest.raises(AdminExists):
        await an_admin(database, "bob")
    second = await an_admin(database, "bob", another=True)
    assert second.user.username == "bob"


async def test_of_admins_made_at_once_one_is_made(database: Database) -> None:
    async with database.transaction() as tx:
        await _make(tx, "ada")
        second = asyncio.create_task(an_admin(database, "bob"))
        # Long enough to come to the question whether there is an admin, and to wait there.
        await asyncio.sleep(0.5)
        assert not second.done()
    with pytest.raises(AdminExists):
        await second


@pytest.mark.parametrize("username", ["ADA", "Ada"])
async def test_a_name_is_taken_whatever_its_case(database: Database, username: str) -> None:
    await an_admin(database, "ada")
    with pytest.raises(NameTaken):
        await an_admin(database, username, another=True)


@pytest.mark.parametrize(
    ("username", "email", "password", "paths"),
    [
        ("ab", "a@b", "long enough", {"username"}),
        ("a" * 61, "a@b", "long enough", {"username"}),
        ("-ab", "a@b", "long enough", {"username"}),
        ("a b c", "a@b", "long enough", {"username"}),
        ("thần", "a@b", "long enough", {"username"}),
        ("ada\n", "a@b", "long enough", {"username"}),
        ("ada", "nobody", "long enough", {"email"}),
        ("ada", "a b@c", "long enough", {"email"}),
        ("ada", "a@b\x00", "long enough", {"email"}),
        ("ada", "a@b", "short", {"password"}),
        ("ada", "a@b", "x" * 129, {"password"}),
        ("", "", "", {"username", "email", "password"}),
    ],
)
async def test_an_account_that_cannot_be_is_refused_with_the_reason(
    database: Database, username: str, email: str, password: str, paths: set[str]
) -> None:
    async with database.transaction() as tx:
        with pytest.raises(Invalid) as refused:
            await _make(tx, username, email, password)
    details = refused.value.details
    assert isinstance(details, list)
    assert {detail["path"] for detail in details if isinstance(detail, dict)} == paths
    assert password not in str(details) or not password
