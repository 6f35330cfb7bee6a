"""People for tests: accounts made as registration makes them, and browsers that are signed in."""

from itertools import count

import httpx

from rensai.kit.clock import Clock
from rensai.kit.db import Command, Database
from rensai.kit.ids import new_uid
from rensai.rooms.readers.door import SCOPES
from rensai.rooms.readers.model import User
from rensai.rooms.readers.model.signing import ApiToken
from rensai.rooms.readers.service import registration
from rensai.rooms.readers.service.secrets import API_TOKEN, hash_of, new_secret
from rensai.rooms.readers.store import accounts, tokens
from tests.rig import Rig

PASSWORD = "a long enough password"

_SET_ROLE = Command("UPDATE users SET role = $2 WHERE id = $1")
_addresses = count(1)


async def a_person(
    database: Database, clock: Clock, username: str = "bea", *, role: str = "user"
) -> User:
    """A new account with this role, whose password is PASSWORD."""
    account = await registration.prepared(username, f"{username}@example.com", PASSWORD, username)
    async with database.transaction() as tx:
        created = await registration.insert(tx, account, now=clock.now())
        await tx.run(_SET_ROLE, created.user.id, role)
        user = await accounts.by_id(tx, created.user.id)
    assert user is not None
    return user


async def browser_of(rig: Rig, username: str, password: str = PASSWORD) -> httpx.AsyncClient:
    """A browser in which this person is signed in, at an address of its own."""
    number = next(_addresses)
    visitor = rig.visitor(f"198.18.{number >> 8 & 255}.{number & 255}")
    answer = await visitor.post(
        "/api/v1/auth/login", json={"login": username, "password": password}
    )
    assert answer.status_code == 200, answer.text
    return visitor


async def signed_in(rig: Rig, username: str = "bea", *, role: str = "user") -> httpx.AsyncClient:
    """A new person, signed in."""
    await a_person(rig.db, rig.clock, username, role=role)
    return await browser_of(rig, username)


async def a_token(rig: Rig, user_id: int) -> str:
    """A token of an account that may do all the account may, good on both APIs."""
    secret = new_secret(API_TOKEN)
    token = ApiToken(
        id=new_uid(),
        name="tests",
        prefix=secret[:10],
        scopes=sorted(SCOPES),
        created_at=rig.clock.now(),
        last_used_at=None,
        expires_at=None,
    )
    async with rig.db.transaction() as tx:
        await tokens.insert(tx, user_id, token, hash_of(secret))
    return secret
