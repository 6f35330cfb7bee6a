"""Readers with opinions, and stories to have them about."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import count
from typing import Any

import httpx
import msgspec

from rensai.kit.db import Command, Query
from rensai.rooms.catalogue.door import recount_due
from rensai.rooms.readers.door import User
from tests.rig import Rig
from tests.rooms.readers.accounts import an_admin
from tests.rooms.readers.people import a_token

NOVEL = "/wp-json/novel/v1"
API = "/api/v1"

_ROLE = Command("UPDATE users SET role = $2 WHERE id = $1")
_STORY_ID = Query("SELECT id FROM stories WHERE slug = $1", int)
_HIDE = Command("UPDATE stories SET is_public = $2 WHERE slug = $1")
_CROWD = Query(
    """
    INSERT INTO users (uid, username, email, password_hash, display_name)
    SELECT gen_random_uuid(), 'crowd-' || n, 'crowd-' || n || '@example.com', '', 'Crowd ' || n
    FROM generate_series(1, $1::int) AS n
    ON CONFLICT DO NOTHING
    RETURNING id
    """,
    int,
)
_addresses = count(1)


class Reader(msgspec.Struct, frozen=True):
    """Somebody who has signed in."""

    user: User
    visitor: Any  # httpx.AsyncClient, which msgspec has no schema for

    async def ask(
        self, method: str, path: str, status: int = 200, **request: Any
    ) -> Any:  # Any: decoded JSON, and what httpx takes
        """The body of the answer, which must have this status."""
        answer: httpx.Response = await self.visitor.request(method, path, **request)
        assert answer.status_code == status, f"{method} {path}: {answer.text}"
        return answer.json() if answer.content else None


async def a_reader(rig: Rig, name: str, role: str = "user") -> Reader:
    """A new account of that name, which has signed in."""
    created = await an_admin(rig.db, name, another=True, clock=rig.clock)
    async with rig.db.transaction() as tx:
        await tx.run(_ROLE, created.user.id, role)
    number = next(_addresses)
    visitor = rig.visitor(f"198.18.{number >> 8 & 255}.{number & 255}")
    visitor.headers["Authorization"] = f"Bearer {await a_token(rig, created.user.id)}"
    return Reader(msgspec.structs.replace(created.user, role=role), visitor)


async def a_crowd(rig: Rig, size: int) -> Sequence[int]:
    """The ids of accounts that never sign in."""
    async with rig.db.transaction() as tx:
        return await tx.all(_CROWD, size)


async def story_id(rig: Rig, slug: str) -> int:
    found = await rig.db.primary.first(_STORY_ID, slug)
    assert found is not None
    return found


async def hide(rig: Rig, slug: str, *, hidden: bool = True) -> None:
    """Close the source of a story, as far as this story can tell, or open it again."""
    async with rig.db.transaction() as tx:
        await tx.run(_HIDE, slug, not hidden)


async def count_anew(rig: Rig) -> None:
    """Let the window after a change pass, and count what is due."""
    rig.clock.advance(timedelta(minutes=2))
    while await recount_due(rig.db, rig.clock, worker="test"):
        pass
