"""What all processes have counted together, in Redis until somebody writes it to the tables.

One hash holds the counts. A process adds to it in batches whose ids Redis remembers, since an
answer that is lost does not say whether the batch counted. Who drains moves a part of the hash
into another one with an id of its own, writes that, and removes it: a drain that was interrupted
is gone on with by whoever is next, under the same id.
"""

from collections import deque
from datetime import datetime, timedelta
from typing import cast
from uuid import UUID

import msgspec

from rensai.kit.clock import Clock
from rensai.kit.ids import new_uid
from rensai.kit.log import get_logger
from rensai.kit.redis import RedisLink, Script
from rensai.rooms.catalogue.model.views import ViewBatch

AT_ONCE = 1_000

_COUNTS = "rensai:{views}:counts"
_TAKEN = "rensai:{views}:taken"
_EPOCH = "rensai:{views}:epoch"
_BATCH = "rensai:{views}:batch:"
_REMEMBERED = timedelta(days=1)

# A Redis that has forgotten everything begins another epoch: what it was told of a batch before
# that is gone, and with it the knowledge whether the batch had been drained already.
_BEGIN = Script("""
redis.call('SET', KEYS[1], ARGV[1], 'NX')
return redis.call('GET', KEYS[1])
""")
_ADD = Script("""
if redis.call('GET', KEYS[3]) ~= ARGV[1] then return 0 end
if redis.call('SET', KEYS[2], '1', 'NX', 'EX', ARGV[2]) then
  for i = 3, #ARGV, 2 do redis.call('HINCRBY', KEYS[1], ARGV[i], ARGV[i + 1]) end
end
return 1
""")
_TAKE = Script("""
if redis.call('EXISTS', KEYS[2]) == 0 then
  local cursor, moved, most = '0', 0, tonumber(ARGV[2])
  repeat
    local step = redis.call('HSCAN', KEYS[1], cursor, 'COUNT', most)
    cursor = step[1]
    for i = 1, #step[2], 2 do
      if moved < most and redis.call('HDEL', KEYS[1], step[2][i]) == 1 then
        redis.call('HSET', KEYS[2], step[2][i], step[2][i + 1])
        moved = moved + 1
      end
    end
  until cursor == '0' or moved >= most
  if moved == 0 then return {} end
  redis.call('HSET', KEYS[2], 'id', ARGV[1])
end
return redis.call('HGETALL', KEYS[2])
""")
_DONE = Script("""
if redis.call('HGET', KEYS[1], 'id') == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
""")

_LOG = get_logger("rensai.catalogue.views")


class _Handed(msgspec.Struct):
    """A batch on its way, and when and to which Redis it was first sent."""

    batch: ViewBatch
    epoch: bytes = b""
    sent_at: datetime | None = None


class SharedViews:
    """One process's way to the counts of all. Methods raise `RedisDownError`."""

    def __init__(self, redis: RedisLink, clock: Clock) -> None:
        self._redis = redis
        self._clock = clock
        self._epoch: bytes | None = None
        self._waiting: deque[_Handed] = deque()

    @property
    def is_there(self) -> bool:
        """Whether Redis answered last."""
        return self._redis.degraded is None

    async def add(self, batches: list[ViewBatch]) -> None:
        """Hand over these batches, after those that wait to be."""
        self._waiting.extend(map(_Handed, batches))
        while self._waiting:
            if await self._send(self._waiting[0]):
                self._waiting.popleft()

    def unsent(self) -> list[ViewBatch]:
        """The batches that Redis has certainly not been told of; they wait no longer."""
        found = [one.batch for one in self._waiting if one.sent_at is None]
        self._waiting = deque(one for one in self._waiting if one.sent_at is not None)
        return found

    async def take(self) -> ViewBatch | None:
        """The next part of what all have counted; the same one until it is `done`."""
        answer = await self._redis.run(_TAKE, [_COUNTS, _TAKEN], str(new_uid()), AT_ONCE)
        flat = cast("list[bytes]", answer)
        if not flat:
            return None
        found = dict(zip(flat[::2], flat[1::2], strict=True))
        batch_id = UUID(found.pop(b"id").decode())
        counts = {(name[:1], int(name[1:])): int(count) for name, count in found.items()}
        stories = {id_: count for (kind, id_), count in counts.items() if kind == b"s"}
        chapters = {id_: count for (kind, id_), count in counts.items() if kind == b"c"}
        return ViewBatch(batch_id, stories, chapters)

    async def done(self, batch: ViewBatch) -> None:
        """What was taken is in the tables."""
        await self._redis.run(_DONE, [_TAKEN], str(batch.id))

    async def _send(self, handed: _Handed) -> bool:
        """Whether nothing more is to be done about it."""
        now = self._clock.now()
        if handed.sent_at is not None and now - handed.sent_at > _REMEMBERED / 2:
            _LOG.warning("views were lost with Redis", views=_sum(handed.batch))
            return True
        if self._epoch is None:
            self._epoch = cast("bytes", await self._redis.run(_BEGIN, [_EPOCH], str(new_uid())))
        was_sent = handed.sent_at is not None
        if not was_sent:
            handed.epoch, handed.sent_at = self._epoch, now
        batch = handed.batch
        fields: list[str | int] = []
        for kind, counts in (("s", batch.stories), ("c", batch.chapters)):
            for id_, count in counts.items():
                fields += (f"{kind}{id_}", count)
        keys = [_COUNTS, f"{_BATCH}{batch.id}", _EPOCH]
        seconds = int(_REMEMBERED.total_seconds())
        if await self._redis.run(_ADD, keys, handed.epoch, seconds, *fields):
            return True
        self._epoch = None  # another Redis, or one without its memory
        if was_sent:
            _LOG.warning("views were lost with Redis", views=_sum(batch))
            return True
        handed.sent_at = None
        return False


def _sum(batch: ViewBatch) -> int:
    return sum(batch.stories.values()) + sum(batch.chapters.values())
