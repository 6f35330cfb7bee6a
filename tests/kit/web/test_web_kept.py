"""Answers that are kept: made once, told apart by their tags, and never older than they may be."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from litestar import Response, get
from litestar.di import NamedDependency, Provide
from litestar.params import FromQuery

from rensai.kit.cache import open_cache
from rensai.kit.clock import SetClock
from rensai.kit.db import Database
from rensai.kit.limits import Limits
from rensai.kit.redis import open_redis
from rensai.kit.services import Services
from rensai.kit.web.access_log import AccessLog
from rensai.kit.web.application import application
from rensai.kit.web.client import Proxies
from rensai.kit.web.headers import Site
from rensai.kit.web.kept import AnyRequest, KeptList, KeptVersion, TooOld
from rensai.kit.web.metrics import HttpMetrics
from tests.redis_server import PATIENT, RedisServer, redis_server
from tests.rig import build_services

pytestmark = pytest.mark.anyio

SPAN = 30


class World:
    """What the answers are made of, and how often they were made."""

    def __init__(self) -> None:
        self.words = ["one"]
        self.version = 1
        self.behind = False
        self.made = 0
        self.slow = 0.0

    async def load(self) -> list[str]:
        self.made += 1
        words = list(self.words)
        await asyncio.sleep(self.slow)
        return words


world = World()
LIST = KeptList("words")
THING = KeptVersion("thing")


@get("/api/v1/words")
async def words(
    request: AnyRequest, services: NamedDependency[Services], about: FromQuery[str | None] = None
) -> Response[list[str]]:
    return await LIST.answer(request, services, (about,), world.load, shared=True)


@get("/api/v1/thing")
async def thing(
    request: AnyRequest, services: NamedDependency[Services], part: FromQuery[str] = ""
) -> Response[list[str]]:
    async def load() -> list[str] | TooOld[list[str]]:
        content = await world.load()
        return TooOld(content) if world.behind else content

    return await THING.answer(request, services, f"7-{world.version}", (part,), load)


def visitor(services: Services) -> httpx.AsyncClient:
    app = application(
        [words, thing],
        site=Site("http://x"),
        proxies=Proxies([]),
        metrics=HttpMetrics(),
        access_log=AccessLog("error", "json"),
        dependencies={"services": Provide(lambda: services, sync_to_thread=False)},
        state={},
    )
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x")


@pytest.fixture(autouse=True)
def fresh_world() -> None:
    world.__init__()


@pytest.fixture
async def client(services: Services) -> AsyncIterator[httpx.AsyncClient]:
    async with visitor(services) as client:
        yield client


async def test_a_list_is_made_once_in_its_span_and_anew_in_the_next(
    client: httpx.AsyncClient, clock: SetClock
) -> None:
    first = await client.get("/api/v1/words")
    world.words = ["two"]
    second = await client.get("/api/v1/words")
    assert first.json() == second.json() == ["one"]
    assert first.headers["etag"] == second.headers["etag"]
    assert world.made == 1
    clock.advance(timedelta(seconds=SPAN))
    third = await client.get("/api/v1/words")
    assert third.json() == ["two"]
    assert third.headers["etag"] != first.headers["etag"]


async def test_a_list_may_be_kept_elsewhere_until_its_span_ends_and_no_longer(
    client: httpx.AsyncClient, clock: SetClock
) -> None:
    clock.advance(timedelta(microseconds=1_000_000 - clock.now().microsecond))  # a whole second
    answer = await client.get("/api/v1/words")
    left = int(answer.headers["cache-control"].removeprefix("public, max-age="))
    assert 0 < left <= SPAN
    world.words = ["two"]
    clock.advance(timedelta(seconds=left - 1))
    assert (await client.get("/api/v1/words")).json() == ["one"]
    clock.advance(timedelta(seconds=1))
    assert (await client.get("/api/v1/words")).json() == ["two"]


async def test_every_question_has_an_answer_of_its_own(client: httpx.AsyncClient) -> None:
    for about in ("", "?about=None", "?about=null", "?about=a", "?about=%22a%22", "?about=a,b"):
        world.words = [about]
        assert (await client.get(f"/api/v1/words{about}")).json() == [about]


async def test_a_version_has_an_answer_of_its_own_at_once(client: httpx.AsyncClient) -> None:
    first = await client.get("/api/v1/thing")
    again = await client.get("/api/v1/thing")
    assert (first.json(), world.made) == (["one"], 1)
    assert first.headers["etag"] == again.headers["etag"]
    assert first.headers["cache-control"] == "public, no-cache"
    world.words, world.version = ["two"], 2
    second = await client.get("/api/v1/thing")
    assert second.json() == ["two"]
    assert second.headers["etag"] != first.headers["etag"]
    assert (await client.get("/api/v1/thing?part=x")).json() == ["two"]
    assert world.made == 3


@pytest.mark.parametrize("path", ["/api/v1/words", "/api/v1/thing"])
async def test_whoever_has_the_answer_is_told_so_in_every_spelling(
    client: httpx.AsyncClient, path: str
) -> None:
    first = await client.get(path)
    tag = first.headers["etag"]
    strong = tag.removeprefix("W/")
    for known in (tag, strong, "*", f'"x", {tag}', f'{strong} , "y"', f'W/"a,b",{tag}', f" {tag} "):
        for method in ("GET", "HEAD"):
            answer = await client.request(method, path, headers={"If-None-Match": known})
            assert answer.status_code == 304, known
            assert answer.content == b""
            assert answer.headers["etag"] == tag
            assert answer.headers["cache-control"].startswith("public, ")
            assert "content-type" not in answer.headers
    for other in ('"x"', strong[:-1], strong.strip('"'), "", "W/", f'"{strong.strip(chr(34))}z"'):
        answer = await client.get(path, headers={"If-None-Match": other})
        assert answer.status_code == 200, other
    lines = [("If-None-Match", '"x"'), ("If-None-Match", tag)]
    assert (await client.get(path, headers=lines)).status_code == 304


async def test_a_304_of_a_version_reads_nothing(client: httpx.AsyncClient) -> None:
    tag = (await client.get("/api/v1/thing")).headers["etag"]
    world.made = 0
    answer = await client.get("/api/v1/thing?part=never", headers={"If-None-Match": tag})
    assert (answer.status_code, world.made) == (304, 0)


@pytest.mark.parametrize("path", ["/api/v1/words", "/api/v1/thing"])
async def test_head_says_what_get_would(client: httpx.AsyncClient, path: str) -> None:
    got = await client.get(path)
    head = await client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    for name in ("content-type", "content-length", "etag", "cache-control"):
        assert head.headers[name] == got.headers[name]


@pytest.mark.parametrize("path", ["/api/v1/words", "/api/v1/thing"])
async def test_a_crowd_causes_one_load(client: httpx.AsyncClient, path: str) -> None:
    world.slow = 0.05
    answers = await asyncio.gather(*(client.get(path) for _ in range(50)))
    assert {answer.text for answer in answers} == {'["one"]'}
    assert world.made == 1


@pytest.mark.parametrize("path", ["/api/v1/words", "/api/v1/thing"])
async def test_the_answer_is_the_same_whoever_asks(client: httpx.AsyncClient, path: str) -> None:
    plain = await client.get(path)
    for headers in (
        {"Accept": "text/html"},
        {"Authorization": "Bearer x"},
        {"Cookie": "rensai_session=x"},
        {"Origin": "https://elsewhere.example"},
        {"Accept-Encoding": "gzip, br"},
        {"Accept-Language": "vi"},
    ):
        answer = await client.get(path, headers=headers)
        assert answer.content == plain.content
        lists = path == "/api/v1/words"
        assert answer.headers.get("vary") == ("Authorization, Cookie" if lists else None)


async def test_what_was_read_behind_the_version_is_answered_and_not_kept(
    client: httpx.AsyncClient,
) -> None:
    world.behind = True
    assert (await client.get("/api/v1/thing")).json() == ["one"]
    world.behind, world.words = False, ["two"]
    assert (await client.get("/api/v1/thing")).json() == ["two"]
    assert (await client.get("/api/v1/thing")).json() == ["two"]
    assert world.made == 2


async def test_keeping_can_be_turned_off(
    database: Database, tmp_path: Path, clock: SetClock
) -> None:
    services = build_services(database, tmp_path, clock, ANSWER_CACHE_SECONDS="0")
    async with visitor(services) as client:
        for path in ("/api/v1/words", "/api/v1/thing"):
            world.words = ["one"]
            first = await client.get(path)
            world.words = ["two"]
            assert (await client.get(path)).json() == ["two"]
            assert first.headers["cache-control"] == "public, no-cache"
        behind = await client.get("/api/v1/words", headers={"If-None-Match": first.headers["etag"]})
        assert behind.status_code == 200


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


async def test_processes_with_a_redis_in_common_make_a_list_once(
    database: Database, tmp_path: Path, clock: SetClock, redis: RedisServer
) -> None:
    world.slow = 0.1
    config = build_services(database, tmp_path, clock).config
    async with (
        open_redis(redis.url, call_seconds=PATIENT) as one,
        open_redis(redis.url, call_seconds=PATIENT) as other,
    ):
        clients = [
            visitor(
                Services(
                    config=config,
                    db=database,
                    clock=clock,
                    cache=open_cache(clock, link),
                    limits=Limits(clock, pepper=b"x" * 32),
                )
            )
            for link in (one, other)
        ]
        asking = [client.get("/api/v1/words") for client in clients for _ in range(10)]
        answers = await asyncio.gather(*asking)
        assert {answer.text for answer in answers} == {'["one"]'}
        assert world.made == 1
        redis.cli("flushall")  # each has its own copy for the rest of the span
        await asyncio.gather(*(client.get("/api/v1/words") for client in clients))
        assert world.made == 1
        for client in clients:
            await client.aclose()
