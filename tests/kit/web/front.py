"""A small site behind the real front door, with one route for each thing that can go wrong."""

import io
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from decimal import Decimal
from ipaddress import ip_network
from typing import Annotated, Any
from uuid import UUID

import httpx
from litestar import Request, Response, get, post
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.types import ControllerRouterHandler
from msgspec import Meta, Struct, field

from rensai.kit import errors
from rensai.kit.web.access_log import AccessLog
from rensai.kit.web.application import application
from rensai.kit.web.asgi import App
from rensai.kit.web.bodies import Body
from rensai.kit.web.client import Proxies
from rensai.kit.web.headers import Site
from rensai.kit.web.metrics import HttpMetrics

BASE_URL = "https://books.example.com"


class Part(Body, frozen=True):
    page_number: int
    kind: str = ""


class Thing(Body, frozen=True):
    name: Annotated[str, Meta(min_length=1, max_length=20)]
    parts: list[Part] = field(default_factory=list)
    weight: float = 0.0
    password: Annotated[str, Meta(max_length=8)] = ""


class Moments(Struct, frozen=True):
    utc: datetime
    number: Decimal
    id: UUID


class OutOfPaper(errors.Conflict):
    """There is no paper left."""

    code = "OUT_OF_PAPER"
    novel_code = "out_of_paper"


@get("/api/v1/empty")
async def empty() -> dict[str, str]:
    return {"status": "ok"}


@get("/api/v1/things/{number:int}")
async def thing(
    number: FromPath[int], size: Annotated[int, QueryParameter(ge=1, le=9)] = 1
) -> dict[str, int]:
    return {"number": number, "size": size}


@get("/api/v1/needy")
async def needy(word: Annotated[str, QueryParameter(min_length=1)]) -> str:
    return word


@post("/api/v1/things", status_code=200)
async def make_thing(data: JSONBody[Thing]) -> Thing:
    return data


@post("/wp-json/novel/v1/things", status_code=200)
async def make_novel_thing(data: JSONBody[Thing]) -> Thing:
    return data


@post("/api/v1/large", status_code=200, request_max_body_size=3_000_000)
async def take_large(data: JSONBody[dict[str, str]]) -> int:
    return len(data)


@post("/form", status_code=200)
async def take_form(request: Request[Any, Any, Any]) -> dict[str, list[str]]:
    fields = await request.form()
    return {name: list(map(str, fields.getall(name))) for name in fields}


@get("/api/v1/moments")
async def moments() -> Moments:
    return Moments(
        datetime(2026, 2, 3, 4, 5, 6, 7, tzinfo=UTC),
        Decimal("12.50"),
        UUID("0190163d-8694-739b-aea5-966c26f8ad91"),
    )


@get("/api/v1/auth/who")
async def who(request: Request[Any, Any, Any]) -> list[str]:
    assert request.client is not None
    return [request.client.host, request.scope["scheme"]]


@get(["/boom", "/api/v1/boom", "/wp-json/novel/v1/boom"])
async def boom() -> None:
    raise ValueError("the secret is swordfish")


@get(["/clash", "/api/v1/clash", "/wp-json/novel/v1/clash"])
async def clash() -> None:
    raise OutOfPaper(details={"sheets": 0}, headers={"Retry-After": "3"}, private="drawer 7")


@get("/page")
async def page() -> Response[str]:
    return Response("<!doctype html><title>x</title>", media_type="text/html")


@get("/own-policy")
async def own_policy() -> Response[str]:
    headers = {"Content-Security-Policy": "default-src 'none'; img-src *"}
    return Response("<!doctype html>", media_type="text/html", headers=headers)


ROUTES: list[ControllerRouterHandler] = [
    empty,
    thing,
    needy,
    make_thing,
    make_novel_thing,
    take_large,
    take_form,
    moments,
    who,
    boom,
    clash,
    page,
    own_policy,
]


class Front:
    """The site, what it has counted and what it has logged."""

    def __init__(
        self, *, base_url: str = BASE_URL, trusted: tuple[str, ...] = (), level: str = "debug"
    ) -> None:
        self.metrics = HttpMetrics()
        self.lines = io.StringIO()
        self.access_log = AccessLog(level, "json", self.lines)
        self.app: App = application(
            ROUTES,
            site=Site(base_url, "https://cdn.example.com/assets"),
            proxies=Proxies([ip_network(text) for text in trusted]),
            metrics=self.metrics,
            access_log=self.access_log,
            dependencies={},
            state={},
        )

    @asynccontextmanager
    async def client(self, peer: str = "192.0.2.7") -> AsyncGenerator[httpx.AsyncClient, None]:
        """A client at this address."""
        transport = httpx.ASGITransport(self.app, client=(peer, 4711))
        async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as client:
            yield client
