"""One suite for rate limits: in memory and in a real Redis."""

import asyncio
import secrets
import sys
from collections import deque
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rensai.kit.clock import SetClock, SystemClock
from rensai.kit.errors import RateLimited
from rensai.kit.limits import PREFIX, Limits, Rule
from rensai.kit.redis import RedisLink, open_redis
from tests.redis_server import PATIENT, RedisServer, redis_server

pytestmark = pytest.mark.anyio

START = datetime(2030, 1, 1, tzinfo=UTC)
TEN = Rule("login", 10, timedelta(minutes=1))
BYTES = Rule("upload", 50_000_000, timedelta(minutes=1))


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with redis_server() as server:
        # Fields then come in any order, as they do in hashes of other settings and servers.
        server.cli("config", "set", "hash-max-listpack-entries", "0")
        yield server


@pytest.fixture(params=["memory", "redis"])
async def link(
    request: pytest.FixtureRequest, server: RedisServer
) -> AsyncIterator[RedisLink | None]:
    server.cli("flushall")
    url = server.url if request.param == "redis" else None
    async with open_redis(url, call_seconds=PATIENT) as link:
        yield link


@pytest.fixture
def clock() -> SetClock:
    return SetClock(START)


@pytest.fixture
def limits(link: RedisLink | None, clock: SetClock) -> Limits:
    return Limits(clock, link)


async def _hits(limits: Limits, times: int, rule: Rule = TEN, who: str = "me") -> int:
    """How many of several concurrent hits were allowed."""
    verdicts = await asyncio.gather(*(limits.hit(rule, who) for _ in range(times)))
    return [verdict.allowed for verdict in verdicts].count(True)


async def test_fifty_concurrent_hits_at_a_limit_of_ten_give_exactly_ten(limits: Limits) -> None:
    assert await _hits(limits, 50) == 10


async def test_a_verdict_tells_what_is_left_and_how_long_to_wait(
    limits: Limits, clock: SetClock
) -> None:
    first = await limits.hit(TEN, "me")
    assert (first.allowed, first.limit, first.remaining) == (True, 10, 9)
    assert first.headers == {}
    clock.advance(timedelta(seconds=20))
    assert await _hits(limits, 9) == 9
    refused = await limits.hit(TEN, "me")
    assert (refused.allowed, refused.limit, refused.remaining) == (False, 10, 0)
    assert refused.retry_after == pytest.approx(40)
    assert refused.headers == {"Retry-After": "40"}


async def test_the_window_moves_and_refused_hits_cost_nothing(
    limits: Limits, clock: SetClock
) -> None:
    assert await _hits(limits, 4) == 4
    clock.advance(timedelta(seconds=30))
    assert await _hits(limits, 50) == 6
    clock.advance(timedelta(seconds=29.999999))
    assert await _hits(limits, 50) == 0
    clock.advance(timedelta(microseconds=1))
    assert await _hits(limits, 50) == 4
    clock.advance(timedelta(seconds=30))
    assert await _hits(limits, 50) == 6


async def test_waiting_as_long_as_told_is_enough(limits: Limits, clock: SetClock) -> None:
    for seconds in (0, 1, 7, 3, 2, 2, 1, 5, 1, 1):
        clock.advance(timedelta(seconds=seconds))
        assert await _hits(limits, 1) == 1
    for _ in range(10):
        refused = await limits.hit(TEN, "me")
        assert not refused.allowed
        clock.advance(timedelta(seconds=refused.retry_after + 0.000_002))
        assert await _hits(limits, 1) == 1


async def test_bytes_are_limited_as_well_as_requests(limits: Limits, clock: SetClock) -> None:
    assert (await limits.hit(BYTES, "key", cost=30_000_000)).remaining == 20_000_000
    clock.advance(timedelta(seconds=30))
    assert (await limits.hit(BYTES, "key", cost=15_000_000)).allowed
    refused = await limits.hit(BYTES, "key", cost=30_000_000)
    assert (refused.allowed, refused.remaining) == (False, 5_000_000)
    assert refused.retry_after == pytest.approx(30)
    assert (await limits.hit(BYTES, "key", cost=5_000_000)).remaining == 0
    assert (await limits.hit(BYTES, "key", cost=0)).allowed


async def test_a_cost_above_the_amount_is_never_allowed(limits: Limits) -> None:
    refused = await limits.hit(TEN, "me", cost=11)
    assert (refused.allowed, refused.remaining) == (False, 10)
    assert refused.retry_after == pytest.approx(60)
    with pytest.raises(ValueError, match="less than nothing"):
        await limits.hit(TEN, "me", cost=-1)


async def test_identities_and_rules_do_not_share_a_window(limits: Limits) -> None:
    assert await _hits(limits, 20, who="ab") == 10
    assert (await limits.hit(TEN, "a", "b")).remaining == 9
    assert (await limits.hit(TEN, "b", "a")).remaining == 9
    assert (await limits.hit(TEN)).remaining == 9
    assert (await limits.hit(Rule("other", 10, TEN.per), "ab")).remaining == 9
    assert (await limits.hit(Rule("login", 11, TEN.per), "ab")).remaining == 10


async def test_looking_counts_nothing(limits: Limits) -> None:
    for _ in range(20):
        assert (await limits.peek(TEN, "me")).allowed
    assert await _hits(limits, 20) == 10
    assert not (await limits.peek(TEN, "me")).allowed


async def test_a_forgotten_window_starts_empty(limits: Limits) -> None:
    assert await _hits(limits, 20) == 10
    await limits.forget(TEN, "me")
    assert (await limits.hit(TEN, "me")).remaining == 9


async def test_checking_raises_with_the_time_to_wait(limits: Limits) -> None:
    for _ in range(10):
        assert (await limits.check(TEN, "me")).allowed
    with pytest.raises(RateLimited) as caught:
        await limits.check(TEN, "me")
    assert caught.value.headers == {"Retry-After": "60"}
    assert caught.value.details == {"limit": 10, "retryAfter": 60}
    assert caught.value.status == 429


async def test_a_clock_set_back_locks_nobody_out_for_longer_than_two_periods(
    limits: Limits, clock: SetClock
) -> None:
    assert await _hits(limits, 10) == 10
    clock.advance(-timedelta(hours=1))
    assert await _hits(limits, 10) == 10
    assert await _hits(limits, 1) == 0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 15_000_000), st.integers(0, 6)), max_size=60),
    st.integers(1, 12),
)
async def test_never_more_than_the_amount_passes_in_any_period(
    hits: list[tuple[int, int]], amount: int
) -> None:
    """Against an exact record: never looser, and at most a hundredth of the period stricter."""
    rule, clock = Rule("r", amount, timedelta(seconds=60)), SetClock(START)
    limits = Limits(clock)
    passed: deque[tuple[datetime, int]] = deque()
    for micros, cost in hits:
        clock.advance(timedelta(microseconds=micros))
        now = clock.now()
        verdict = await limits.hit(rule, "me", cost=cost)
        used = sum(c for at, c in passed if at > now - rule.per)
        lately = sum(c for at, c in passed if at > now - rule.per * 1.011)
        if verdict.allowed:
            assert used + cost <= amount
            passed.append((now, cost))
        else:
            assert lately + cost > amount
            assert 0 < verdict.retry_after <= 60


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 15_000_000), st.integers(0, 6)), max_size=30),
    st.integers(1, 12),
)
async def test_memory_and_redis_agree_on_every_hit(
    server: RedisServer, hits: list[tuple[int, int]], amount: int
) -> None:
    rule, clock = Rule("r", amount, timedelta(seconds=60)), SetClock(START)
    alone, who = Limits(clock), secrets.token_hex(8)
    async with open_redis(server.url, call_seconds=PATIENT) as link:
        for micros, cost in hits:
            clock.advance(timedelta(microseconds=micros))
            # A process that has seen nothing itself, so that Redis has to decide.
            shared = Limits(clock, link)
            expected = await alone.hit(rule, who, cost=cost)
            assert await shared.hit(rule, who, cost=cost) == expected


async def test_keys_hold_no_secrets_and_go_away(server: RedisServer) -> None:
    server.cli("flushall")
    async with open_redis(server.url, call_seconds=PATIENT) as link:
        await Limits(SystemClock(), link, pepper=b"p").hit(TEN, "token-abc", "10.0.0.1")
        await Limits(SystemClock(), link, pepper=b"q").hit(TEN, "token-abc", "10.0.0.1")
        keys = server.cli("keys", "*").split()
        assert len(keys) == 2
        for key in keys:
            assert key.startswith(PREFIX)
            assert "abc" not in key.removeprefix(PREFIX) or len(key) == len(PREFIX) + 32
            assert "10.0" not in key
            assert 0 < int(server.cli("pttl", key)) <= 60_000


_PROCESS = """
import asyncio, sys
from datetime import timedelta
from rensai.kit.clock import SystemClock
from rensai.kit.limits import Limits, Rule
from rensai.kit.redis import open_redis

async def main():
    async with open_redis(sys.argv[1], call_seconds=10) as link:
        limits = Limits(SystemClock(), link)
        await limits.peek(Rule("r", 10, timedelta(minutes=1)), "me")
        print("ready", flush=True)
        sys.stdin.readline()
        hits = [limits.hit(Rule("r", 10, timedelta(minutes=1)), "me") for _ in range(50)]
        print(sum(verdict.allowed for verdict in await asyncio.gather(*hits)), flush=True)

asyncio.run(main())
"""


async def test_two_processes_together_allow_exactly_the_amount(server: RedisServer) -> None:
    server.cli("flushall")
    pipe = asyncio.subprocess.PIPE
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", _PROCESS, server.url, stdin=pipe, stdout=pipe
        )
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
    outputs = await asyncio.gather(*(process.communicate(b"go\n") for process in processes))
    allowed = [int(output) for output, _ in outputs]
    assert sum(allowed) == 10, allowed


async def test_a_crash_of_redis_gives_an_abuser_no_fresh_window() -> None:
    clock = SetClock(START)
    with redis_server() as server:
        async with open_redis(server.url) as link:
            assert link is not None
            limits = Limits(clock, link)
            assert await _hits(limits, 7) == 7
            server.kill()
            assert await _hits(limits, 50) == 3
            assert limits.degraded is not None
            server.start()
            async with asyncio.timeout(5):
                while limits.degraded:  # noqa: ASYNC110 - seen from outside
                    await asyncio.sleep(0.01)
            assert await _hits(limits, 50) == 0
            clock.advance(timedelta(seconds=61))
            assert await _hits(limits, 50) == 10


async def test_what_is_seen_exhausted_here_is_refused_without_asking_redis(
    server: RedisServer,
) -> None:
    server.cli("flushall")
    async with open_redis(server.url, call_seconds=PATIENT) as link:
        limits = Limits(SystemClock(), link)
        await _hits(limits, 10)
        server.hang()
        try:
            assert await _hits(limits, 50) == 0
            assert limits.degraded is None
        finally:
            server.go_on()


async def test_windows_in_memory_stay_within_their_bound() -> None:
    clock = SetClock(START)
    limits = Limits(clock, max_windows=100)
    for n in range(1000):
        await limits.hit(TEN, f"10.0.{n}")
    assert limits.windows == 100
    clock.advance(timedelta(minutes=2))
    for n in range(60):
        await limits.hit(TEN, f"10.1.{n}")
    assert limits.windows == 60


def test_a_rule_without_an_amount_or_a_period_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="needs an amount"):
        Rule("r", 0, timedelta(minutes=1))
    with pytest.raises(ValueError, match="needs an amount"):
        Rule("r", 1, timedelta(0))
