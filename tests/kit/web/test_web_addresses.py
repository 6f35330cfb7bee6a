"""Addresses and parameters: what cannot be read, found or believed gets the right 4xx."""

import httpx
import pytest

from rensai.kit.web import arrival
from tests.kit.web.front import Front

pytestmark = pytest.mark.anyio


async def raw(front: Front, raw_path: bytes, query: bytes = b"", **more: object) -> int:
    """The status for an address exactly as given, past a client that would mend it."""
    seen: list[int] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, object]) -> None:
        if message["type"] == "http.response.start":
            seen.append(int(str(message["status"])))

    scope: dict[str, object] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": raw_path.decode("utf-8", "replace"),
        "raw_path": raw_path,
        "query_string": query,
        "root_path": "",
        "headers": [(b"host", b"books.example.com")],
        "client": ("192.0.2.7", 1),
        "server": ("127.0.0.1", 1),
        "state": {},
        **more,
    }
    await front.app(scope, receive, send)
    (status,) = seen
    return status


@pytest.mark.parametrize(
    "part",
    [b"%00", b"a%00b", b"%", b"%4", b"%zz", b"%ff", b"%C3%28", b"%ED%A0%80", b"\xff", b"%f5%80"],
)
async def test_an_address_that_cannot_be_read_is_a_bad_request(front: Front, part: bytes) -> None:
    assert await raw(front, b"/api/v1/" + part) == 400
    assert await raw(front, b"/" + part) == 400
    assert await raw(front, b"/api/v1/empty", b"q=" + part) == 400


async def test_an_address_in_any_language_can_be_read(front: Front) -> None:
    assert await raw(front, b"/%E9%80%A3%E8%BC%89") == 404
    assert await raw(front, "/連載".encode()) == 404
    assert await raw(front, b"/api/v1/empty", b"q=%E9%80%A3&r=a+b%2B") == 200


async def test_an_address_has_a_greatest_length(front: Front) -> None:
    room = arrival.LONGEST_ADDRESS - len(b"/api/v1/empty")
    assert await raw(front, b"/api/v1/empty", b"q" * room) == 200
    assert await raw(front, b"/api/v1/empty", b"q" * (room + 1)) == 414
    assert await raw(front, b"/" + b"a" * arrival.LONGEST_ADDRESS) == 414


@pytest.mark.parametrize(
    ("headers", "version", "status"),
    [
        ([], "1.1", 400),
        ([(b"host", b"")], "1.1", 400),
        ([(b"host", b"a"), (b"host", b"b")], "1.1", 400),
        ([(b"host", b"a b")], "1.1", 400),
        ([], "1", 200),
        ([(b"host", b"a")], "2", 200),
        ([(b"host", b"a"), *[(b"x-%d" % i, b"y") for i in range(100)]], "1.1", 431),
        ([(b"host", b"a"), (b"x", b"y" * 33_000)], "1.1", 431),
        ([(b"host", b"a"), (b"x-forwarded-for", b"\xff"), (b"accept", b"\xff")], "1.1", 200),
    ],
)
async def test_a_head_that_http_forbids_is_refused(
    front: Front, headers: list[tuple[bytes, bytes]], version: str, status: int
) -> None:
    assert await raw(front, b"/api/v1/empty", headers=headers, http_version=version) == status


async def test_a_parameter_of_the_wrong_type_in_the_path_is_not_found(
    client: httpx.AsyncClient,
) -> None:
    for number in ("x", "1.5", "9" * 5000, "-"):
        answer = await client.get(f"/api/v1/things/{number}")
        assert answer.status_code == 404, number
        assert answer.json()["code"] == "NOT_FOUND"


@pytest.mark.parametrize("size", ["0", "10", "x", "", "1e3", "9" * 5000])
async def test_a_parameter_out_of_bounds_is_named(client: httpx.AsyncClient, size: str) -> None:
    answer = await client.get("/api/v1/things/1", params={"size": size})
    assert answer.status_code == 422
    (detail,) = answer.json()["details"]
    assert (detail["path"], detail["in"]) == ("size", "query")


async def test_a_missing_parameter_is_named(client: httpx.AsyncClient) -> None:
    answer = await client.get("/api/v1/needy")
    assert answer.status_code == 422
    assert answer.json()["details"] == [
        {"path": "word", "in": "query", "message": "It is required."}
    ]


async def test_a_slash_too_many_is_forgiven(client: httpx.AsyncClient) -> None:
    for path in ("/api/v1/empty/", "/api//v1/empty"):
        assert (await client.get(path)).status_code == 200
