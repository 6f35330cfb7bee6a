"""The short way of an answer ends where the long one does."""

from typing import Any

import httpx
import pytest
from litestar import MediaType, get, post
from litestar.background_tasks import BackgroundTask
from litestar.datastructures import Cookie
from litestar.types import ControllerRouterHandler
from msgspec import Struct

from rensai.kit.web import data_response
from rensai.kit.web.access_log import AccessLog
from rensai.kit.web.application import application
from rensai.kit.web.client import Proxies
from rensai.kit.web.headers import Site
from rensai.kit.web.metrics import HttpMetrics

pytestmark = pytest.mark.anyio

done: list[str] = []


class Thing(Struct, rename="camel"):
    page_count: int


@get("/data")
async def data() -> list[Thing]:
    return [Thing(1), Thing(2)]


@post("/made")
async def made() -> Thing:
    return Thing(3)


@get("/nothing")
async def nothing() -> None:
    return None


@get("/text", media_type=MediaType.TEXT)
async def text() -> str:
    return "plain"


@get("/json-text")
async def json_text() -> str:
    return "already"


@get("/cookie", response_cookies=[Cookie(key="a", value="b")])
async def cookie() -> Thing:
    return Thing(4)


@get("/header", response_headers={"X-Own": "1"})
async def header() -> Thing:
    return Thing(5)


@get("/after", background=BackgroundTask(done.append, "after"))
async def after() -> Thing:
    return Thing(6)


@get("/binary")
async def binary() -> bytes:
    return b"\x00\x01"


@get("/empty", status_code=204)
async def empty() -> None:
    return None


ROUTES: list[ControllerRouterHandler] = [
    data,
    made,
    nothing,
    text,
    json_text,
    cookie,
    header,
    after,
    binary,
    empty,
]


async def answer(path: str, method: str) -> httpx.Response:
    app = application(
        ROUTES,
        site=Site("http://x"),
        proxies=Proxies([]),
        metrics=HttpMetrics(),
        access_log=AccessLog("error", "json"),
        dependencies={},
        state={},
    )
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        return await client.request(method, path, headers={"x-request-id": "always-the-same"})


NAMES = ("data", "nothing", "text", "json-text", "cookie", "header", "after", "binary", "empty")
PATHS = [("/made", "POST"), *((f"/{name}", "GET") for name in NAMES)]


@pytest.mark.parametrize(("path", "method"), PATHS)
async def test_the_short_way_gives_what_the_long_way_gives(
    path: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = await answer(path, method)
    monkeypatch.delattr(data_response.DataResponse, "to_asgi_response")
    long = await answer(path, method)
    assert short.status_code == long.status_code
    assert short.content == long.content
    assert dict(short.headers) == dict(long.headers)


async def test_plain_data_takes_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[bytes] = []
    original: Any = data_response.encode_json

    def watching(value: object) -> bytes:
        taken.append(original(value))
        return taken[-1]

    monkeypatch.setattr(data_response, "encode_json", watching)
    await answer("/data", "GET")
    assert taken == [b'[{"pageCount":1},{"pageCount":2}]']
    await answer("/cookie", "GET")
    assert len(taken) == 1


async def test_what_is_to_be_done_afterwards_is_done() -> None:
    done.clear()
    await answer("/after", "GET")
    assert done == ["after"]
