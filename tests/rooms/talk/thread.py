"""A story with chapters, and readers who talk about it over HTTP."""

from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

import httpx

from rensai.kit.db import Command, Query
from rensai.kit.ids import new_uid
from rensai.rooms.readers.adapters.passwords import HASHER
from rensai.rooms.talk.store.comments import by_uid
from tests.rig import Rig
from tests.rooms.catalogue.incoming import Shelf, chapter, story

API = "/api/v1"
NOVEL = "/wp-json/novel/v1"
PASSWORD = "a long enough password"
SERIES = "truyen:s1"

Answer = dict[str, Any]  # Any: a JSON document

_ACCOUNT = Query(
    """
    INSERT INTO users (
        uid, username, email, password_hash, display_name, role, portable_key_fingerprint,
        email_verified
    ) VALUES ($1, $2::text, $2 || '@example.com', $3, initcap($2), $4, $5, $6)
    RETURNING id
    """,
    int,
)
_STORY = Query("SELECT id FROM stories WHERE source_story_id = $1", int)
_CHAPTER = Query(
    """
    SELECT chapters.id FROM chapters JOIN stories ON stories.id = story_id
    WHERE source_story_id = $1 AND chapter_no = $2
    """,
    int,
)
_CHAPTER_UID = Query("SELECT uid FROM chapters WHERE id = $1", UUID)
_ALL_DUE = Command("UPDATE tasks.pgqueuer SET execute_after = now() WHERE status = 'queued'")
_FILL = Command(
    """
    INSERT INTO comments (
        uid, story_id, chapter_id, parent_id, user_id, content, likes_count, is_pinned,
        created_at, updated_at
    )
    SELECT
        gen_random_uuid(), $1::bigint, $2::bigint, $3::bigint, $4::bigint, 'Comment ' || n,
        n * 7919 % 13, n % 17 = 0 AND $3::bigint IS NULL,
        $5::timestamptz + n / 3 * interval '1 second', $5::timestamptz
    FROM generate_series(1, $6::integer) AS n
    """
)


@lru_cache(maxsize=1)
def _hash() -> str:
    return HASHER.hash(PASSWORD)


class Reader:
    """Somebody who has signed in, with a token that is good for both APIs."""

    def __init__(self, thread: "Thread", name: str, id_: int, client: httpx.AsyncClient) -> None:
        self.name = name
        self.id = id_
        self.client = client
        self._thread = thread

    async def say(self, content: str, where: str = "", parent: str | None = None) -> Answer:
        """Comment on the story, or on what `where` names; seven seconds after all before."""
        self._thread.clock.advance(timedelta(seconds=7))
        answer = await self.post(content, where, parent)
        assert answer.status_code == 201, answer.text
        return answer.json()

    async def post(
        self, content: str, where: str = "", parent: str | None = None
    ) -> httpx.Response:
        body = {"content": content} if parent is None else {"content": content, "parentId": parent}
        return await self.client.post(where or f"{API}/series/{SERIES}/comments", json=body)

    async def like(self, comment: Answer) -> None:
        answer = await self.client.post(f"{API}/comments/{comment['id']}/like")
        assert answer.status_code == 204, answer.text

    async def delete(self, comment: Answer) -> None:
        answer = await self.client.delete(f"{API}/comments/{comment['id']}")
        assert answer.status_code == 204, answer.text

    async def moderate(self, comment: Answer, **how: bool) -> httpx.Response:
        return await self.client.patch(f"{API}/comments/{comment['id']}/moderation", json=how)


class Thread:
    """The stories s1, with two chapters, and s2, with one; and who talks about them."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.db = rig.db
        self.clock = rig.clock
        self.shelf = Shelf(rig.db, rig.clock)
        self._addresses = iter(f"192.0.2.{n}" for n in range(1, 250))

    async def begin(self) -> None:
        await self.shelf.stories(story("s1", status=1), story("s2", status=1))
        await self.shelf.chapters(chapter(1), chapter(2), chapter(1, story="s2"))

    async def reader(
        self,
        name: str,
        role: str = "user",
        *,
        fingerprint: str | None = None,
        verified: bool = True,
    ) -> Reader:
        """A new account of that name, signed in, by an address of its own."""
        fingerprint = fingerprint or name.encode().hex().zfill(32)
        async with self.db.transaction() as tx:
            id_ = await tx.first(_ACCOUNT, new_uid(), name, _hash(), role, fingerprint, verified)
        assert id_ is not None
        client = self.rig.visitor(next(self._addresses))
        answer = await client.post(
            f"{NOVEL}/auth/login", json={"login": name, "password": PASSWORD}
        )
        assert answer.status_code == 200, answer.text
        client.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
        return Reader(self, name, id_, client)

    async def story_id(self, name: str = "s1") -> int:
        found = await self.db.primary.first(_STORY, name)
        assert found is not None
        return found

    async def chapter_id(self, number: int = 1, story: str = "s1") -> int:
        found = await self.db.primary.first(_CHAPTER, story, number)
        assert found is not None
        return found

    async def chapter(self, number: int = 1, story: str = "s1") -> str:
        """Where comments on a chapter are."""
        uid = await self.db.primary.first(_CHAPTER_UID, await self.chapter_id(number, story))
        return f"{API}/chapters/{uid}/comments"

    async def key_of(self, comment: Answer) -> int:
        """The id by which the novel API knows a comment."""
        found = await by_uid(self.db.primary, UUID(comment["id"]))
        assert found is not None
        return found.id

    async def page(self, where: str = "", by: Reader | None = None, **asked: Any) -> Answer:
        client = self.rig.client if by is None else by.client
        answer = await client.get(where or f"{API}/series/{SERIES}/comments", params=asked)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def everything(self, where: str = "", **asked: Any) -> list[Answer]:
        """The items of all pages, one after another."""
        found: list[Answer] = []
        while True:
            page = await self.page(where, **asked)
            found += page["items"]
            following = page.get("nextCursor", page.get("next_cursor"))
            if following is None:
                assert not page.get("hasMore", page.get("has_more"))
                return found
            asked["cursor"] = following

    async def one(self, comment: Answer, by: Reader | None = None) -> Answer:
        return await self.page(f"{API}/comments/{comment['id']}", by)

    async def settle(self) -> None:
        """Have all done that waits, also what would wait a little longer."""
        async with self.db.transaction() as tx:
            await tx.run(_ALL_DUE)
        await self.rig.work()

    async def fill(
        self,
        count: int,
        *,
        chapter_id: int | None = None,
        parent_id: int | None = None,
        user_id: int | None = None,
        since: datetime | None = None,
    ) -> None:
        """Many comments at once: three in each second, some pinned, with various likes."""
        async with self.db.transaction(timedelta(minutes=2)) as tx:
            await tx.run(
                _FILL,
                await self.story_id(),
                chapter_id,
                parent_id,
                user_id,
                since or self.clock.now(),
                count,
            )


def words(items: list[Answer]) -> list[str]:
    """What comments say, in their order."""
    return [item["content"] for item in items]
