"""A limit on a route counts callers, and says when to come back."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import httpx
import pytest
from litestar import Router, get

from rensai.kit.clock import SetClock
from rensai.kit.limits import Limits, Rule
from rensai.kit.web.access_log import AccessLog
from rensai.kit.web.application import application
from rensai.kit.web.asgi import App
from rensai.kit.web.client import Proxies
from rensai.kit.web.headers import Site
from rensai.kit.web.limited import limited
from rensai.kit.web.metrics import HttpMetrics

pytestmark = pytest.mark.anyio

RULE = Rule("test", 3, timedelta(minutes=1))


@get("/one")
async def one() -> int:
    return 1


@get("/two")
async def two() -> int:
    return 2


@pytest.fixture
def clock() -> SetClock:
    return SetClock(datetime(2026, 1, 2, tzinfo=UTC))


@pytest.fixture
def app(clock: SetClock) -> App:
    return application(
        [
            Router("/api/v1", route_handlers=[one, two], guards=[limited(RULE)]),
            Router("/wp-json/novel/v1", route_handlers=[one], guards=[limited(RULE)]),
        ],
        site=Site("http://x"),
        proxies=Proxies([]),
        metrics=HttpMetrics(),
        access_log=AccessLog("error", "json"),
        dependencies={},
        state={"services": SimpleNamespace(limits=Limits(clock))},
    )


async def fetch(app: App, path: str, address: str = "192.0.2.7") -> httpx.Response:
    transport = httpx.ASGITransport(app, client=(address, 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        return await client.get(path)


async def test_a_group_of_routes_shares_one_limit(app: App, clock: SetClock) -> None:
    for path in ("/api/v1/one", "/api/v1/two", "/api/v1/one"):
        assert (await fetch(app, path)).status_code == 200
    answer = await fetch(app, "/api/v1/two")
    assert answer.status_code == 429
    assert answer.json()["code"] == "RATE_LIMITED"
    wait = int(answer.headers["retry-after"])
    assert 1 <= wait <= 61
    clock.advance(timedelta(seconds=wait))
    assert (await fetch(app, "/api/v1/two")).status_code == 200


async def test_the_novel_api_says_it_in_its_own_words(app: App) -> None:
    for _ in range(3):
        await fetch(app, "/wp-json/novel/v1/one")
    answer = await fetch(app, "/wp-json/novel/v1/one")
    assert answer.status_code == 429
    assert answer.json()["error"]["code"] == "rate_limited"
    assert "retry-after" in answer.headers


async def test_one_caller_does_not_use_up_the_limit_of_another(app: App) -> None:
    for _ in range(3):
        assert (await fetch(app, "/api/v1/one", "2001:db8:0:1::1")).status_code == 200
    assert (await fetch(app, "/api/v1/one", "2001:db8:0:1::2")).status_code == 429
    assert (await fetch(app, "/api/v1/one", "2001:db8:0:2::1")).status_code == 200
    assert (await fetch(app, "/api/v1/one", "192.0.2.8")).status_code == 200
