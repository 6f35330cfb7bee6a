"""How often somebody may do something: a moving window, in this process or in Redis.

A hit is allowed when what was allowed in the `per` before it, plus its own cost, is at most
`amount`. Hits are summed in a hundredth of the period; a sum counts until the youngest hit in
it is `per` old, so never more than `amount` passes in any stretch of `per`, and a caller waits
at most a hundredth longer than an exact record would make it. A window is therefore small even
when its unit is the byte. Refused hits cost nothing.

With Redis the window is shared by all processes. Each also remembers what it allowed itself:
what one process has seen exhausted is refused without asking Redis, and when Redis is away that
memory carries on. A limit is then one per process, so N web processes let through at most N
times the amount until Redis returns; an abuser gains nothing by crashing Redis, because the
windows do not start from empty.
"""

import hashlib
import math
from collections import OrderedDict
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

from rensai.kit.clock import Clock
from rensai.kit.errors import RateLimited
from rensai.kit.redis import RedisDownError, RedisLink, Script

PARTS = 100
PREFIX = "rensai:r:"
MICROS = 1_000_000

# The same steps as `_Window.take`; times are whole microseconds.
_TAKE = Script("""
local now, per = tonumber(ARGV[1]), tonumber(ARGV[2])
local amount, cost, record = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5] == '1'
local used, live, entries = 0, {}, redis.call('HGETALL', KEYS[1])
for i = 1, #entries, 2 do
  local sum, last = string.match(entries[i + 1], '^(%d+):(%d+)$')
  sum, last = tonumber(sum), tonumber(last)
  if last + per > now and last - per <= now then
    used = used + sum
    live[#live + 1] = {last, sum, entries[i]}
  else
    redis.call('HDEL', KEYS[1], entries[i])
  end
end
if used + cost <= amount then
  if record and cost > 0 then
    local part, sum = string.format('%.0f', math.floor(now / (per / 100))), cost
    for _, entry in ipairs(live) do
      if entry[3] == part then sum = sum + entry[2] end
    end
    redis.call('HSET', KEYS[1], part, string.format('%.0f:%.0f', sum, now))
    redis.call('PEXPIRE', KEYS[1], math.ceil(per / 1000))
    used = used + cost
  end
  return {1, amount - used, 0}
end
table.sort(live, function(a, b) return a[1] < b[1] end)
local excess, wait = used + cost - amount, per
for _, entry in ipairs(live) do
  excess = excess - entry[2]
  if excess <= 0 then
    wait = entry[1] + per - now
    break
  end
end
return {0, math.max(0, amount - used), string.format('%.0f', wait)}
""")


@dataclass(frozen=True, slots=True)
class Rule:
    """At most `amount` (of requests, bytes, ...) in any stretch of `per`."""

    name: str
    amount: int
    per: timedelta

    def __post_init__(self) -> None:
        if self.amount < 1 or self.per < timedelta(milliseconds=100):
            raise ValueError(f"the rate limit {self.name!r} needs an amount and a period")


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a hit was allowed, what is left, and the seconds to wait for the same again."""

    allowed: bool
    limit: int
    remaining: int
    retry_after: float

    @property
    def headers(self) -> dict[str, str]:
        """`Retry-After` in whole seconds, never 0, when refused."""
        return {} if self.allowed else {"Retry-After": str(max(1, math.ceil(self.retry_after)))}


class _Window:
    """The hits of one key: part of the period -> their sum and the time of the youngest."""

    __slots__ = ("parts", "per")

    def __init__(self, per: int) -> None:
        self.per = per
        self.parts: dict[int, tuple[int, int]] = {}

    def take(self, now: int, amount: int, cost: int, *, record: bool) -> tuple[bool, int, int]:
        """Allowed, remaining, and the microseconds until the same cost would be allowed."""
        per = self.per
        live = {
            part: (total, last)
            for part, (total, last) in self.parts.items()
            if last + per > now >= last - per
        }
        self.parts = live
        used = sum(total for total, _ in live.values())
        if used + cost <= amount:
            if record and cost > 0:
                part = math.floor(now / (per / PARTS))
                live[part] = (live.get(part, (0, 0))[0] + cost, now)
                used += cost
            return True, amount - used, 0
        excess = used + cost - amount
        for total, last in sorted(live.values(), key=lambda entry: entry[1]):
            excess -= total
            if excess <= 0:
                return False, max(0, amount - used), last + per - now
        return False, max(0, amount - used), per

    def over(self, now: int) -> bool:
        """Whether nothing in it counts any more."""
        return all(last + self.per <= now for _, last in self.parts.values())


class _Windows:
    """The windows of this process, the longest unused dropped first when there are too many."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._windows: OrderedDict[str, _Window] = OrderedDict()

    def __len__(self) -> int:
        return len(self._windows)

    def of(self, key: str, per: int) -> _Window:
        window = self._windows.get(key)
        if window is None:
            window = self._windows[key] = _Window(per)
            if len(self._windows) > self._most:
                self._windows.popitem(last=False)
        else:
            self._windows.move_to_end(key)
        return window

    def drop(self, key: str) -> None:
        self._windows.pop(key, None)

    def tidy(self, now: int) -> None:
        """Drop up to two windows that are over, so that each new one pays for the old."""
        for _ in range(2):
            oldest = next(iter(self._windows), None)
            if oldest is None or not self._windows[oldest].over(now):
                return
            del self._windows[oldest]


class Limits:
    """All rate limits of a process."""

    def __init__(
        self,
        clock: Clock,
        redis: RedisLink | None = None,
        *,
        pepper: bytes = b"",
        max_windows: int = 50_000,
    ) -> None:
        """`pepper` is mixed into keys, so that who reads Redis cannot try out addresses."""
        self._clock = clock
        self._redis = redis
        self._pepper = hashlib.blake2b(pepper, digest_size=32).digest()
        self._windows = _Windows(max_windows)

    @property
    def degraded(self) -> str | None:
        """What does not work as it should right now, or None."""
        return None if self._redis is None else self._redis.degraded

    @property
    def windows(self) -> int:
        """How many windows this process remembers."""
        return len(self._windows)

    async def hit(self, rule: Rule, *identity: str, cost: int = 1) -> Verdict:
        """Count one action if it is allowed. A cost above the rule's amount never is."""
        return await self._take(rule, identity, cost, record=True)

    async def peek(self, rule: Rule, *identity: str, cost: int = 1) -> Verdict:
        """What `hit` would say now, without counting: to count only failures, for example."""
        return await self._take(rule, identity, cost, record=False)

    async def check(self, rule: Rule, *identity: str, cost: int = 1) -> Verdict:
        """Count one action or raise `RateLimited`, with `Retry-After`."""
        verdict = await self.hit(rule, *identity, cost=cost)
        if not verdict.allowed:
            headers = verdict.headers
            raise RateLimited(
                details={"limit": rule.amount, "retryAfter": int(headers["Retry-After"])},
                private=f"rate limit {rule.name}",
                headers=headers,
            )
        return verdict

    async def forget(self, rule: Rule, *identity: str) -> None:
        """Start from an empty window, after a successful login for example."""
        key = self._key(rule, identity)
        self._windows.drop(key)
        if self._redis is not None:
            try:
                await self._redis.call("UNLINK", PREFIX + key)
            except RedisDownError:
                return  # the window in Redis expires by itself

    async def _take(
        self, rule: Rule, identity: tuple[str, ...], cost: int, *, record: bool
    ) -> Verdict:
        if cost < 0:
            raise ValueError("a hit cannot cost less than nothing")
        key = self._key(rule, identity)
        now, per = self._now(), int(rule.per.total_seconds() * MICROS)
        self._windows.tidy(now)
        window = self._windows.of(key, per)
        if self._redis is not None:
            own = window.take(now, rule.amount, cost, record=False)
            if not own[0] and own[1] == 0:
                return _verdict(rule, own)
            try:
                shared = await self._ask(self._redis, key, rule, cost, (now, per), record=record)
            except RedisDownError:
                pass
            else:
                if shared[0] and record:
                    # At the moment of the question, so both put it in the same part.
                    self._windows.of(key, per).take(now, rule.amount, cost, record=True)
                return _verdict(rule, shared)
        return _verdict(rule, window.take(now, rule.amount, cost, record=record))

    @staticmethod
    async def _ask(
        redis: RedisLink, key: str, rule: Rule, cost: int, times: tuple[int, int], *, record: bool
    ) -> tuple[bool, int, int]:
        answer = await redis.run(_TAKE, [PREFIX + key], *times, rule.amount, cost, int(record))
        allowed, remaining, wait = cast(list[int | bytes], answer)
        return allowed == 1, int(remaining), int(wait)

    def _key(self, rule: Rule, identity: tuple[str, ...]) -> str:
        digest = hashlib.blake2b(key=self._pepper, digest_size=16)
        for part in (rule.name, str(rule.amount), str(rule.per), *identity):
            encoded = part.encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(encoded))
            digest.update(encoded)
        return digest.hexdigest()

    def _now(self) -> int:
        return int(self._clock.now().timestamp() * MICROS)


def _verdict(rule: Rule, taken: tuple[bool, int, int]) -> Verdict:
    allowed, remaining, wait = taken
    return Verdict(allowed, rule.amount, remaining, wait / MICROS)
