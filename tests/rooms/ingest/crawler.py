"""A crawler written from the contract alone, against the whole application."""

import hashlib
import hmac
import json
from typing import Any
from uuid import uuid4

import httpx

from rensai.kit.db import Query
from rensai.rooms.ingest.model import NewKey
from rensai.rooms.ingest.service import keys
from tests.rig import Rig

INGEST = "/wp-json/novel/v1/ingest"
STORIES = f"{INGEST}/stories/bulk"
CHAPTERS = f"{INGEST}/chapters/bulk"
STATS = f"{INGEST}/rebuild-stats"
ALL = ("ingest:stories", "ingest:chapters", "ingest:stats")

STORY = {
    "source_story_id": "abc123",
    "slug": "than-dao",
    "title": "Thần Đạo",
    "updated_at_source": "2026-02-21T08:00:00Z",
}
CHAPTER = {
    "source_story_id": "abc123",
    "source_chapter_id": "c-1001",
    "chapter_no": 1,
    "slug": "chuong-1",
    "title": "Chương 1",
    "content_raw": "Ngày xửa ngày xưa.",
    "updated_at_source": "2026-02-21T08:05:00Z",
}


def story(**changes: Any) -> dict[str, Any]:
    """A story, as the contract shows it."""
    return STORY | changes


def chapter(number: int = 1, **changes: Any) -> dict[str, Any]:
    """A chapter, as the contract shows it."""
    own = {
        "source_chapter_id": f"c-{number}",
        "chapter_no": number,
        "slug": f"chuong-{number}",
        "title": f"Chương {number}",
    }
    return CHAPTER | own | changes


def batch(*items: Any, source: str = "truyen-a") -> bytes:
    """The body of a bulk request."""
    return json.dumps({"source": source, "items": items}, ensure_ascii=False).encode()


class Crawler:
    """Signs requests with one key, from one address."""

    def __init__(
        self, rig: Rig, key: NewKey, address: str = "127.0.0.1", base_url: str = ""
    ) -> None:
        self.rig = rig
        self.key = key
        self.client = rig.visitor(address)
        if base_url:
            self.client.base_url = httpx.URL(base_url)

    def headers(
        self,
        path: str,
        body: bytes,
        *,
        method: str = "POST",
        secret: str | None = None,
        skew: int = 0,
        **changes: str | None,
    ) -> dict[str, str]:
        """What a request is sent with; `changes` come after signing and are named in snake case."""
        timestamp = str(int(self.rig.clock.now().timestamp()) + skew)
        nonce = uuid4().hex
        base = f"{method}.{path}.{timestamp}.{nonce}.{hashlib.sha256(body).hexdigest()}"
        signed = hmac.new((secret or self.key.secret).encode(), base.encode(), hashlib.sha256)
        headers: dict[str, str | None] = {
            "X-Novel-Key-Id": self.key.key_id,
            "X-Novel-Timestamp": timestamp,
            "X-Novel-Nonce": nonce,
            "X-Novel-Signature": signed.hexdigest(),
            "X-Novel-Request-Id": str(uuid4()),
            "Idempotency-Key": str(uuid4()),
            "Content-Type": "application/json",
        }
        headers |= {_header(name): value for name, value in changes.items()}
        return {name: value for name, value in headers.items() if value is not None}

    async def post(self, path: str, body: bytes, **options: Any) -> httpx.Response:
        """Sign and send a body."""
        return await self.client.post(
            path, content=body, headers=self.headers(path, body, **options)
        )

    async def get(self, path: str, **options: Any) -> httpx.Response:
        """Sign and ask."""
        headers = self.headers(path, b"", method="GET", **options)
        return await self.client.get(path, headers=headers)

    async def push_stories(self, *items: Any, **options: Any) -> httpx.Response:
        return await self.post(STORIES, batch(*items), **options)

    async def push_chapters(self, *items: Any, **options: Any) -> httpx.Response:
        return await self.post(CHAPTERS, batch(*items), **options)


def _header(name: str) -> str:
    title = name.replace("_", "-").title()
    own = {"Key-Id", "Timestamp", "Nonce", "Signature", "Request-Id"}
    return f"X-Novel-{title}" if title in own else title


async def make_key(rig: Rig, **changes: Any) -> NewKey:
    """A key without quotas that may do everything, unless told otherwise."""
    wanted: dict[str, Any] = {
        "sealing_secrets": rig.services.config.sealing_secrets,
        "name": "crawler",
        "permissions": ALL,
        "requests_per_minute": 0,
        "bytes_per_minute": 0,
        "operator": "test",
        "now": rig.clock.now(),
    }
    async with rig.db.transaction() as tx:
        return await keys.create(tx, **(wanted | changes))


async def make_crawler(rig: Rig, address: str = "127.0.0.1", **changes: Any) -> Crawler:
    """A crawler with a key of its own."""
    return Crawler(rig, await make_key(rig, **changes), address)


async def count(rig: Rig, table: str) -> int:
    """How many rows a table has."""
    return await rig.db.primary.first(Query(f"SELECT count(*) FROM {table}", int)) or 0  # noqa: S608


def refused(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """The error of an answer, which must be that one in the envelope of the contract."""
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), answer.text
    assert answer.json()["error"]["message"]
    return answer.json()["error"]
