"""A crawler that costs little: bodies are made before the clock starts, connections are few.

What remains to do while it sends is one HMAC for each request and handing over bytes.
"""

import hashlib
import http.client
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit
from uuid import uuid4

import msgspec

from rensai.client import Kind
from rensai.client.signing import Key, signature

SOURCE = "bench"
ITEMS = 300
IN_A_ROW = 100
"""Chapters of one story that are sent one after the other."""

_FIRST_DAY = datetime(2024, 1, 1, tzinfo=UTC)


class SendError(Exception):
    """The server did not take what it should."""


@dataclass(frozen=True, slots=True)
class Request:
    """A bulk request, ready to be signed and sent."""

    kind: Kind
    body: bytes
    items: int
    digest: str
    name: str = field(default_factory=lambda: uuid4().hex)
    """Its idempotency key."""

    encoding: str = "identity"
    """How the body is packed."""

    @staticmethod
    def of(kind: Kind, items: list[bytes]) -> "Request":
        """The request with these items, each encoded already."""
        body = b'{"source":"%s","items":[%s]}' % (SOURCE.encode(), b",".join(items))
        return Request(kind, body, len(items), hashlib.sha256(body).hexdigest())


class Accepted(msgspec.Struct, frozen=True):
    """What the server answered."""

    request_id: str
    accepted_count: int
    rejected_count: int


@dataclass(frozen=True, slots=True)
class Sent:
    """An answered request; the times are those of `time.perf_counter`."""

    request: Request
    accepted: Accepted
    began: float
    answered: float


class Crawler:
    """Sends requests over one connection."""

    def __init__(self, url: str, key: Key) -> None:
        parts = urlsplit(url)
        self._key = key
        self._http = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)

    def send(self, request: Request, request_id: str | None = None) -> Sent:
        """Send it, signed anew; whatever is not accepted whole is an error."""
        began = time.perf_counter()
        stamp, nonce = str(int(time.time())), uuid4().hex
        path = request.kind.path
        base = f"POST.{path}.{stamp}.{nonce}.{request.digest}"
        headers = {
            "Content-Type": "application/json",
            "Content-Encoding": request.encoding,
            "Idempotency-Key": request.name,
            "X-Novel-Request-Id": request_id or str(uuid4()),
            "X-Novel-Key-Id": self._key.key_id,
            "X-Novel-Timestamp": stamp,
            "X-Novel-Nonce": nonce,
            "X-Novel-Signature": signature(self._key.secret, base),
        }
        self._http.request("POST", path, body=request.body, headers=headers)
        answer = self._http.getresponse()
        told = answer.read()
        answered = time.perf_counter()
        if answer.status != http.client.ACCEPTED:
            raise SendError(f"{answer.status} {told[:500]!r}")
        return Sent(request, msgspec.json.decode(told, type=Accepted), began, answered)

    def close(self) -> None:
        self._http.close()


def send_all(
    url: str,
    key: Key,
    requests: Iterable[Request],
    connections: int,
    answered: Callable[[Sent], None] | None = None,
) -> list[Sent]:
    """Send requests over some connections, each as soon as one is free.

    `answered` is told of each, from any thread. The first error ends it all.
    """
    source, lock = iter(requests), threading.Lock()
    sent: list[Sent] = []
    errors: list[BaseException] = []

    def following() -> Request | None:
        with lock:
            return None if errors else next(source, None)

    def work() -> None:
        crawler = Crawler(url, key)
        try:
            while (request := following()) is not None:
                sent.append(crawler.send(request))
                if answered is not None:
                    answered(sent[-1])
        except BaseException as error:  # noqa: BLE001 - whoever started us raises it
            errors.append(error)
        finally:
            crawler.close()

    threads = [threading.Thread(target=work) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return sent


class Novels:
    """Stories and endlessly many chapters of them, the same on each run.

    A hundred chapters of a story come in a row, then a hundred of the next. Each chapter has a
    first line of its own above one of the texts, so no two bodies are equal.
    """

    def __init__(self, stories: int, texts: Iterable[str]) -> None:
        self.stories = stories
        self._texts = [msgspec.json.encode(text)[1:-1] for text in texts]

    def story_requests(self) -> Iterator[Request]:
        """Every story, in as few requests as are needed."""
        for first in range(0, self.stories, ITEMS):
            numbers = range(first, min(first + ITEMS, self.stories))
            yield Request.of(Kind.STORIES, [self._story(number) for number in numbers])

    def chapter_requests(self, first: int, number: int) -> Iterator[Request]:
        """So many chapters from the first one on, 300 in each request."""
        for start in range(first, first + number, ITEMS):
            numbers = range(start, min(start + ITEMS, first + number))
            yield Request.of(Kind.CHAPTERS, [self._chapter(one) for one in numbers])

    def _story(self, number: int) -> bytes:
        return msgspec.json.encode(
            {
                "source_story_id": f"s{number}",
                "slug": f"truyen-{number}",
                "title": f"Thần Đạo Đan Tôn {number}",
                "author_name": f"Tác giả {number % 500}",
                "status": 1,
                "summary": "Một câu chuyện dài, kể từng chương một. " * 8,
                "language": "vi",
                "genres": ["Tiên hiệp", "Huyền huyễn"],
                "updated_at_source": _FIRST_DAY,
            }
        )

    def _chapter(self, number: int) -> bytes:
        turn, within = divmod(number, IN_A_ROW * self.stories)
        story, place = divmod(within, IN_A_ROW)
        chapter = turn * IN_A_ROW + place + 1
        at = _FIRST_DAY + timedelta(minutes=number % 500_000)
        head = (
            f'{{"source_story_id":"s{story}","source_chapter_id":"s{story}-c{chapter}",'
            f'"chapter_no":{chapter},"slug":"chuong-{chapter}",'
            f'"title":"Chương {chapter}: Một ngày nọ","is_published":true,'
            f'"published_at":"{at:%Y-%m-%dT%H:%M:%SZ}",'
            f'"updated_at_source":"{at:%Y-%m-%dT%H:%M:%SZ}",'
            f'"content_raw":"Truyện {story}, chương {chapter}\\n\\n'
        )
        text = self._texts[number * 7919 % len(self._texts)]
        return b'%s%s"}' % (head.encode(), text)
