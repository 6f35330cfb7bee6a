"""When devices and tokens were last used, to within some minutes, without a write per request."""

import asyncio
from datetime import datetime, timedelta
from uuid import UUID

from rensai.kit.clock import Clock
from rensai.kit.db import Database
from rensai.kit.errors import RensaiError
from rensai.kit.log import get_logger
from rensai.rooms.readers.model.signing import Visit
from rensai.rooms.readers.store import visits as store

COARSE = timedelta(minutes=10)
"""How old what is noted must be before it is noted anew."""

GATHER_SECONDS = 1.0
MOST = 5000
"""How many are noted at once; more are noted when they come again."""

_LOG = get_logger("rensai.readers")


class LastUsed:
    """Gathers who came by, and notes them together."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._sessions: set[UUID] = set()
        self._tokens: set[UUID] = set()
        self._writing: asyncio.Task[None] | None = None

    def see(self, visit: Visit, now: datetime) -> None:
        """Somebody came by; noted soon, unless that was noted a moment ago."""
        if visit.last_used_at is not None and now - visit.last_used_at < COARSE:
            return
        if len(self._sessions) + len(self._tokens) >= MOST:
            return
        if visit.session is not None:
            self._sessions.add(visit.session)
        elif visit.token is not None:
            self._tokens.add(visit.token)
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_soon())

    async def close(self) -> None:
        """Note who is left."""
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.gather(self._writing, return_exceptions=True)
        await self._write()

    async def _write_soon(self) -> None:
        await asyncio.sleep(GATHER_SECONDS)
        self._writing = None
        await self._write()

    async def _write(self) -> None:
        sessions, tokens = self._sessions, self._tokens
        if not sessions and not tokens:
            return
        self._sessions, self._tokens = set(), set()
        now = self._clock.now()
        try:
            async with self._db.transaction() as tx:
                await store.note_sessions(tx, sorted(sessions), now)
                await store.note_tokens(tx, sorted(tokens), now)
        except RensaiError as problem:
            # They will come again; what was noted before still stands.
            _LOG.warning("cannot note who came by", code=problem.code, private=problem.private)
