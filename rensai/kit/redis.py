"""The way to Redis, which may go away at any moment and come back at any other.

A command that fails opens the circuit: `degraded` says so, one warning is logged, and until
Redis answers again every call raises `RedisDownError` at once instead of waiting. A probe looks for
it in the background; when it is back, those who kept notes in the meantime replay them
(`on_return`), and only then the circuit closes.

A Redis that was restarted may have forgotten everything. Every new connection asks for the
server's run id, so that even a restart between two commands is noticed and replayed to.
"""

import asyncio
import hashlib
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Protocol, cast

from redis.asyncio import BlockingConnectionPool
from redis.asyncio import Redis as Client
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import NoScriptError, RedisError, ResponseError

from rensai.kit.log import get_logger

log = get_logger("rensai.redis")

CALL_SECONDS = 0.6  # all of it: a free connection, the connect and the answer
FIRST_PROBE_SECONDS = 0.05
LAST_PROBE_SECONDS = 2.0
SETTLE_AT = 1_000  # notes that are told within milliseconds
REPLAY_SECONDS = 3.0

Argument = str | bytes | int | float


class RedisDownError(Exception):
    """Redis does not answer; `RedisLink.degraded` says since what."""


class Script:
    """A Lua script that runs as one step in Redis."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


class Returning(Protocol):
    """Whoever keeps notes while Redis is away."""

    @property
    def owes(self) -> int:
        """How many things Redis has not been told."""
        ...

    async def replay(self, link: "RedisLink") -> None:
        """Tell Redis through `link.direct`; called until nothing is owed."""
        ...

    def start_replay(self) -> None:
        """Redis is back, and may have forgotten all that it was told before."""
        ...

    def returned(self) -> None:
        """Everything was told: from here on Redis answers again."""
        ...


class RedisLink:
    """One process's connections to Redis and what is known of its health."""

    def __init__(
        self, url: str, *, connections: int = 8, call_seconds: float = CALL_SECONDS
    ) -> None:
        """Few connections: each answers thousands of calls a second, and opening costs more."""
        self._pool = BlockingConnectionPool.from_url(  # pyright: ignore[reportUnknownMemberType] - its keyword arguments have no types
            url,
            max_connections=connections,
            timeout=call_seconds,
            socket_timeout=call_seconds * 0.8,
            socket_connect_timeout=call_seconds * 0.6,
            retry=Retry(NoBackoff(), 0),
            redis_connect_func=self._greet,
            protocol=2,
            driver_info=None,  # no round trip to introduce the client
        )
        self._call_seconds = call_seconds
        self._client = Client(connection_pool=self._pool)
        self._degraded: str | None = None
        self._run_id: bytes | None = None
        self._probe: asyncio.Task[None] | None = None
        self._pause = FIRST_PROBE_SECONDS
        self._up_since = 0.0
        self._returning: list[Returning] = []
        # Set while the last notes are told: calls wait that moment, or notes would never end.
        self._settling: asyncio.Event | None = None

    @property
    def degraded(self) -> str | None:
        """None while Redis answers, else what is wrong in one sentence without secrets."""
        return self._degraded

    def on_return(self, keeper: Returning) -> None:
        """Let someone replay what it noted, whenever Redis comes back."""
        self._returning.append(keeper)

    async def open(self) -> None:
        """Say hello. A Redis that is away at the start is no reason not to start."""
        try:
            await self.call("PING")
        except RedisDownError:
            return

    async def close(self) -> None:
        """Stop probing and hang up."""
        if self._probe is not None:
            self._probe.cancel()
            await asyncio.gather(self._probe, return_exceptions=True)
        await self._client.aclose()
        await self._pool.disconnect()

    async def call(self, *command: Argument) -> object:
        """Run one command; raises `RedisDownError` when Redis is away."""
        return await self._guarded(lambda: self.direct(*command))

    async def run(self, script: Script, keys: list[str], *arguments: Argument) -> object:
        """Run a script; raises `RedisDownError` when Redis is away."""
        return await self._guarded(lambda: self.direct_run(script, keys, *arguments))

    async def direct(self, *command: Argument) -> object:
        """Run one command past the circuit: for replays only."""
        async with asyncio.timeout(self._call_seconds):
            return cast(object, await self._client.execute_command(*command))  # pyright: ignore[reportUnknownMemberType] - the client has no types for raw commands

    async def direct_run(self, script: Script, keys: list[str], *arguments: Argument) -> object:
        """Run a script past the circuit: for replays only."""
        try:
            return await self.direct("EVALSHA", script.sha, len(keys), *keys, *arguments)
        except NoScriptError:
            return await self.direct("EVAL", script.text, len(keys), *keys, *arguments)

    async def _guarded(self, operation: Callable[[], Awaitable[object]]) -> object:
        if self._settling is not None:
            await self._settling.wait()
        if self._degraded is not None:
            raise RedisDownError(self._degraded)
        try:
            return await operation()
        except (RedisError, OSError, TimeoutError) as error:
            if type(error) is ResponseError:
                raise  # Redis is well; the command is wrong, which is for its author to see
            self._trip(error)
            raise RedisDownError(str(self._degraded)) from error

    def _trip(self, error: Exception) -> None:
        if self._degraded is not None:
            return
        self._degraded = f"Redis does not answer ({_kind(error)})"
        if asyncio.get_running_loop().time() - self._up_since > 30:
            self._pause = FIRST_PROBE_SECONDS
        log.warning("redis is away", reason=_kind(error), degraded=self._consequence())
        self._probe = asyncio.create_task(self._look_for_it())

    @staticmethod
    def _consequence() -> str:
        return "cache, counters, nonces and rate limits are kept in this process alone"

    async def _look_for_it(self) -> None:
        while True:
            await asyncio.sleep(self._pause * random.uniform(0.8, 1.2))  # noqa: S311 - no secret
            self._pause = min(self._pause * 2, LAST_PROBE_SECONDS)
            try:
                await self._pool.disconnect(inuse_connections=False)
                # A write, because a full or read-only Redis answers a ping.
                await self.direct("SET", "rensai:probe", "1", "PX", 1000)
                for keeper in self._returning:
                    keeper.start_replay()
                await self._replay(until_owed=SETTLE_AT)
                self._settling = asyncio.Event()
                await self._replay(until_owed=0)
                # No await since the last look at `owes`, so nothing was noted in between.
                for keeper in self._returning:
                    keeper.returned()
                self._degraded = None
                self._up_since = asyncio.get_running_loop().time()
                log.info("redis is back")
                return
            except Exception as error:  # noqa: BLE001 - whatever it was, the next look may succeed
                log.debug("redis is still away", reason=_kind(error))
            finally:
                if self._settling is not None:
                    self._settling.set()
                    self._settling = None

    async def _replay(self, *, until_owed: int) -> None:
        give_up = asyncio.get_running_loop().time() + REPLAY_SECONDS
        while sum(keeper.owes for keeper in self._returning) > until_owed:
            if until_owed and asyncio.get_running_loop().time() > give_up:
                return
            for keeper in self._returning:
                await keeper.replay(self)

    async def _greet(self, connection: "_Connection") -> None:
        """Log in on a new connection, and see whether it is still the same server."""
        await connection.on_connect()
        try:
            await connection.send_command("INFO", "server")
            run_id = _run_id(await connection.read_response())
        except ResponseError:
            return  # an account that may not ask; a silent restart then goes unnoticed
        known, self._run_id = self._run_id, run_id
        changed = known is not None and run_id is not None and known != run_id
        if changed and self._degraded is None:
            raise RedisConnectionError("it was restarted")


class _Connection(Protocol):
    """What `_greet` uses of the client's connection."""

    async def on_connect(self) -> None: ...
    async def send_command(self, *args: str) -> None: ...
    async def read_response(self) -> object: ...


def _run_id(info: object) -> bytes | None:
    if isinstance(info, Mapping):
        value = cast(Mapping[str, object], info).get("run_id")
        return None if value is None else str(value).encode()
    text = info if isinstance(info, bytes) else str(info).encode()
    for line in text.splitlines():
        if line.startswith(b"run_id:"):
            return line[7:].strip()
    return None


def _kind(error: Exception) -> str:
    """The kind of an error; its text may hold an address with a password."""
    return type(error).__name__


@asynccontextmanager
async def open_redis(
    url: str | None, *, call_seconds: float = CALL_SECONDS
) -> AsyncGenerator[RedisLink | None]:
    """The link of a process, or None when no Redis is configured."""
    if not url:
        yield None
        return
    link = RedisLink(url, call_seconds=call_seconds)
    try:
        await link.open()
        yield link
    finally:
        await link.close()
