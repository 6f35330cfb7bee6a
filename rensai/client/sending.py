"""The client: signs, sends, tries again, and says what became of each item."""

import gzip
import ssl
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from ipaddress import ip_address
from threading import Event
from types import TracebackType
from typing import Literal, TypeVar
from uuid import uuid4

import httpx
import msgspec
import zstandard

from rensai.client.answers import Accepted, Report, Standing, failure
from rensai.client.batches import PREFIX, Batch, Item, Kind, batches
from rensai.client.errors import ExhaustedError, PushError, StillWorkingError, TroubleError
from rensai.client.retrying import RETRIED, Retry, Waiting, Waits, seconds_of
from rensai.client.signing import Key, signed_headers

T = TypeVar("T")
Packing = Literal["gzip", "zstd"]

_LONGEST_PAUSE = 5.0


class Client:
    """Pushes stories and chapters to one server with one key.

        with Client("https://books.example.com", key_id, secret) as client:
            for report in client.push_chapters("my-source", chapters):
                for rejection in report.rejected:
                    print(rejection.position, rejection.code, rejection.message)

    It may be used from several threads. With `connections` above one, batches of one push travel
    side by side. `on_wait` is told before each wait for another attempt.
    """

    def __init__(
        self,
        url: str,
        key_id: str,
        secret: str,
        *,
        connections: int = 1,
        pack: Packing | None = None,
        retry: Retry | None = None,
        timeout: float = 60.0,
        on_wait: Callable[[Waiting], None] | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """HTTPS, except to this very machine. `pack` compresses what is sent."""
        self._now = now
        self._key = Key(key_id, secret)
        self._connections = connections
        self._pack: Packing | None = pack
        self._retry = retry or Retry()
        self._on_wait = on_wait
        self._closed = Event()
        self._http = httpx.Client(
            base_url=_checked(url),
            timeout=httpx.Timeout(timeout, connect=min(timeout, 10.0)),
            limits=httpx.Limits(max_connections=connections + 1),
            headers={"User-Agent": "rensai-client", "Accept": "application/json"},
        )

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self.give_up()
        self._http.close()

    def give_up(self) -> None:
        """From another thread: what waits for another attempt, or for the catalogue, fails now."""
        self._closed.set()

    def push_stories(self, source: str, items: Iterable[Item]) -> Iterator[Report]:
        """Push stories, however many, and report on each batch as it is answered."""
        return self.send_all(batches(Kind.STORIES, source, items))

    def push_chapters(self, source: str, items: Iterable[Item]) -> Iterator[Report]:
        """Push chapters, however many, and report on each batch as it is answered."""
        return self.send_all(batches(Kind.CHAPTERS, source, items))

    def send_all(self, several: Iterable[Batch]) -> Iterator[Report]:
        """Send batches and report on them in their order.

        The first that fails ends it, with those in flight given up: all are safe to send again.
        """
        if self._connections == 1:
            yield from map(self.send, several)
            return
        give_up = Event()
        in_flight: deque[Future[Report]] = deque()
        with ThreadPoolExecutor(self._connections, thread_name_prefix="push") as pool:
            try:
                for batch in several:
                    if self._closed.is_set():
                        raise PushError("given up")
                    in_flight.append(pool.submit(self._send, batch, give_up))
                    if len(in_flight) > self._connections:
                        yield in_flight.popleft().result()
                while in_flight:
                    yield in_flight.popleft().result()
            finally:
                give_up.set()
                for one in in_flight:
                    one.cancel()

    def send(self, batch: Batch) -> Report:
        """Send one batch, as often as it takes."""
        return self._send(batch, self._closed)

    def rebuild_stats(self, story_ids: Sequence[int]) -> Accepted:
        """Have up to 10,000 stories counted anew; needs a key with `ingest:stats`."""
        body = msgspec.json.encode({"story_ids": list(story_ids)})
        names = {"Idempotency-Key": str(uuid4())}
        path = f"{PREFIX}/rebuild-stats"
        return _read(self._write(path, body, names, self._closed), Accepted)

    def status(self, request_id: str) -> Standing:
        """How far a request has come, and which of its items are in trouble."""
        path = f"{PREFIX}/requests/{request_id}"
        return _read(self._attempt("GET", path, b"", {}, self._closed), Standing)

    def wait_for(
        self, request_id: str, *, timeout: float = 600.0, even_if_stuck: bool = True
    ) -> Standing:
        """Ask after a request until nothing more will happen to it.

        Items that fail may be tried again for hours. Without `even_if_stuck` it is enough that
        only such are left.
        """
        until = time.monotonic() + timeout
        pause = 0.2
        while not (standing := self.status(request_id)).has_ended:
            if standing.is_stuck and not even_if_stuck:
                return standing
            if time.monotonic() + pause > until:
                raise StillWorkingError(
                    f"the request {request_id} is still {standing.status}: "
                    f"{standing.processed_items} of {standing.accepted_items} items are done"
                )
            if self._closed.wait(pause):
                raise StillWorkingError(f"given up waiting for the request {request_id}")
            pause = min(pause * 1.5, _LONGEST_PAUSE)
        return standing

    def _send(self, batch: Batch, give_up: Event) -> Report:
        if not batch.items:
            return Report.of(batch, None)
        names = {"Idempotency-Key": batch.idempotency_key}
        answer = self._write(batch.kind.path, batch.body, names, give_up)
        return Report.of(batch, _read(answer, Accepted))

    def _write(
        self, path: str, body: bytes, names: dict[str, str], give_up: Event
    ) -> httpx.Response:
        headers = {
            "Content-Type": "application/json",
            "X-Novel-Request-Id": str(uuid4()),
            **names,
        }
        if self._pack is not None:
            body = _packed(body, self._pack)
            headers["Content-Encoding"] = self._pack
        return self._attempt("POST", path, body, headers, give_up)

    def _attempt(
        self, method: str, path: str, body: bytes, headers: dict[str, str], give_up: Event
    ) -> httpx.Response:
        """Send until it succeeds, or until it makes no sense any more."""
        waits = Waits(self._retry)
        while True:
            problem, retry_after = self._once(method, path, body, headers)
            if isinstance(problem, httpx.Response):
                return problem
            if not isinstance(problem, TroubleError):
                raise problem
            attempt = waits.attempts
            seconds = waits.next(problem.status, retry_after)
            if seconds is None:
                raise ExhaustedError(attempt, problem) from problem
            if self._on_wait is not None:
                quota = problem.status == 429 and retry_after is not None
                self._on_wait(Waiting(seconds, attempt, problem, quota))
            if give_up.wait(seconds) or self._closed.is_set():
                raise ExhaustedError(attempt, problem) from problem

    def _once(
        self, method: str, path: str, body: bytes, headers: dict[str, str]
    ) -> tuple[httpx.Response | PushError, float | None]:
        """One attempt: signed anew, as a nonce is good for one only."""
        signed = signed_headers(
            self._key, method, path, body, timestamp=str(int(self._now())), nonce=uuid4().hex
        )
        try:
            answer = self._http.request(method, path, content=body, headers=headers | signed)
        except httpx.TransportError as problem:
            return _broken_line(problem), None
        if answer.is_success:
            return answer, None
        after = answer.headers.get("retry-after") if answer.status_code in RETRIED else None
        return failure(answer, self._now()), seconds_of(after)


def _checked(url: str) -> str:
    """The address of a server, or a ValueError that says what is wrong with it."""
    parsed = httpx.URL(url)
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise ValueError(f"{url!r} is not an http or https address")
    if parsed.path.strip("/") or parsed.query or parsed.userinfo:
        raise ValueError("the address of a server has nothing but scheme, host and port")
    if parsed.scheme == "http" and not _is_this_machine(parsed.host):
        raise ValueError("http is only for a server on this machine; use https")
    return url


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _packed(body: bytes, how: Packing) -> bytes:
    if how == "gzip":
        return gzip.compress(body, compresslevel=6, mtime=0)
    return zstandard.ZstdCompressor(level=3).compress(body)


def _broken_line(problem: httpx.TransportError) -> PushError:
    told = str(problem) or type(problem).__name__
    cause: BaseException | None = problem
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return PushError(f"the certificate of the server is not good: {told}")
        cause = cause.__cause__ or cause.__context__
    return TroubleError(f"the server cannot be reached: {told}")


def _read(answer: httpx.Response, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(answer.content, type=kind)
    except msgspec.DecodeError as problem:
        raise PushError("the answer is not that of a Rensai server") from problem
