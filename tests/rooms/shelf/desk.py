"""Readers with their stories, for tests of the shelf."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import httpx
import msgspec

from rensai.kit.db import Command, Query
from rensai.rooms.readers.door import User
from tests.rig import Rig
from tests.rooms.catalogue.incoming import Shelf, chapter, story
from tests.rooms.readers.accounts import an_admin
from tests.rooms.readers.people import a_token

NOVEL = "/wp-json/novel/v1"
API = "/api/v1"

Json = dict[str, Any]


class Named(msgspec.Struct, frozen=True):
    """A story or a chapter by its keys."""

    id: int
    uid: UUID
    name: str
    story_id: int


_STORIES = Query(
    "SELECT id, uid, source_story_id AS name, id AS story_id FROM stories ORDER BY id", Named
)
_CHAPTERS = Query(
    """
    SELECT chapters.id, chapters.uid, source_story_id || ' ' || chapter_no AS name, story_id
    FROM chapters JOIN stories ON stories.id = story_id ORDER BY chapter_no, chapters.id
    """,
    Named,
)
_CLOSE = Command("UPDATE stories SET is_public = $2 WHERE source_story_id = $1")


class Reader:
    """Somebody who has signed in."""

    def __init__(self, client: httpx.AsyncClient, user: User) -> None:
        self.client = client
        self.user = user
        self.id = user.id

    async def ask(self, path: str, **query: object) -> Json:
        """The answer to a GET that must work."""
        given = {name: str(value) for name, value in query.items()}
        answer = await self.client.get(path, params=given)
        assert answer.status_code == 200, answer.text
        assert answer.headers["cache-control"] == "private, no-store"
        found: Json = answer.json()
        return found

    async def every(self, path: str, limit: int, **query: object) -> list[Json]:
        """All items of a list, page by page."""
        items: list[Json] = []
        more: Json = {}
        while True:
            page = await self.ask(path, limit=limit, **query, **more)
            items += page["items"]
            cursor = page.get("next_cursor", page.get("nextCursor"))
            has_more = page.get("has_more", page.get("hasMore"))
            assert has_more == (cursor is not None)
            assert not has_more or len(page["items"]) == limit
            if cursor is None:
                return items
            more = {"cursor": cursor}

    async def read(
        self, chapter_: Named, *, at: datetime | None = None, scroll: float | None = None
    ) -> Json:
        """Say over the novel API that this is where they are."""
        body: Json = {"chapter_id": chapter_.id, "chapter_no": 1, "scroll_position": scroll}
        if at is not None:
            body["updated_at"] = at.isoformat()
        answer = await self.client.put(f"{NOVEL}/me/progress/{chapter_.story_id}", json=body)
        assert answer.status_code == 200, answer.text
        found: Json = answer.json()
        return found

    async def keep(self, story_: Named, status: int = 0, **more: object) -> Json:
        """Put a story on the shelf over the novel API."""
        path = f"{NOVEL}/me/bookmarks/{story_.id}"
        answer = await self.client.post(path, json={"status": status, **more})
        assert answer.status_code == 200, answer.text
        found: Json = answer.json()
        return found


class Desk:
    """The application with some stories, each of them with chapters."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.shelf = Shelf(rig.db, rig.clock)

    async def fill(self, stories: Sequence[str], chapters: int) -> None:
        await self.shelf.stories(*(story(name, status=1) for name in stories))
        for name in stories:
            sent = [chapter(number, story=name) for number in range(1, chapters + 1)]
            await self.shelf.chapters(*sent)
        await self.look()

    async def look(self) -> None:
        """Know what there is by name: `s1`, and `s1 2` for its second chapter."""
        reads = self.rig.db.primary
        self.stories = {one.name: one for one in await reads.all(_STORIES)}
        self.chapters = {one.name.removesuffix(".00"): one for one in await reads.all(_CHAPTERS)}

    async def reader(self, name: str = "ada") -> Reader:
        """A new account, signed in."""
        created = await an_admin(self.rig.db, name, another=True, clock=self.rig.clock)
        client = self.rig.visitor()
        client.headers["Authorization"] = f"Bearer {await a_token(self.rig, created.user.id)}"
        return Reader(client, created.user)

    async def hide(self, name: str, *, public: bool = False) -> None:
        """Close a story to everybody, or open it again."""
        async with self.rig.db.transaction() as tx:
            await tx.run(_CLOSE, name, public)
