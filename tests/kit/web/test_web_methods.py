"""HEAD, OPTIONS and methods that are not there."""

import httpx
import pytest

from tests.kit.web.front import BASE_URL, Front

pytestmark = pytest.mark.anyio


async def test_head_is_get_without_a_body(client: httpx.AsyncClient) -> None:
    for path in ("/api/v1/empty", "/page", "/nowhere", "/api/v1/clash"):
        got = await client.get(path)
        headed = await client.head(path)
        assert headed.status_code == got.status_code
        assert headed.content == b""
        assert headed.headers["content-length"] == str(len(got.content))
        assert headed.headers["content-type"] == got.headers["content-type"]


async def test_head_of_what_only_takes_posts_is_not_allowed(client: httpx.AsyncClient) -> None:
    answer = await client.head("/api/v1/things")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "OPTIONS, POST"


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/api/v1/empty", "GET, HEAD, OPTIONS"),
        ("/api/v1/things", "OPTIONS, POST"),
        ("/page", "GET, HEAD, OPTIONS"),
    ],
)
async def test_options_tells_what_is_allowed(
    client: httpx.AsyncClient, path: str, allowed: str
) -> None:
    answer = await client.options(path)
    assert answer.status_code == 204
    assert answer.headers["allow"] == allowed
    assert "content-type" not in answer.headers


@pytest.mark.parametrize("method", ["PUT", "BREW", "TRACE", "CONNECT", "PROPFIND"])
async def test_a_method_that_is_not_there_is_405_with_those_that_are(
    client: httpx.AsyncClient, method: str
) -> None:
    answer = await client.request(method, "/api/v1/empty")
    assert answer.status_code == 405
    assert answer.json()["code"] == "METHOD_NOT_ALLOWED"
    assert {"GET", "HEAD", "OPTIONS"} <= set(answer.headers["allow"].split(", "))


async def test_options_of_nothing_is_not_found(client: httpx.AsyncClient) -> None:
    assert (await client.options("/api/v1/nowhere")).status_code == 404


async def test_a_browser_may_ask_before_it_calls_the_api(client: httpx.AsyncClient) -> None:
    asking = {"origin": "https://elsewhere.example", "access-control-request-method": "PATCH"}
    for path in ("/api/v1/things", "/wp-json/novel/v1/things", "/api/v1/nowhere"):
        answer = await client.options(path, headers=asking)
        assert answer.status_code == 204
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["access-control-allow-headers"] == "Content-Type, Authorization"
        assert (
            answer.headers["access-control-allow-methods"]
            == "GET, POST, PUT, PATCH, DELETE, OPTIONS"
        )
        assert "access-control-allow-credentials" not in answer.headers
        assert "x-request-id" in answer.headers


async def test_only_our_own_pages_may_sign_people_in(client: httpx.AsyncClient) -> None:
    asking = {"origin": "https://elsewhere.example", "access-control-request-method": "POST"}
    for answer in (
        await client.options("/api/v1/auth/who", headers=asking),
        await client.get("/api/v1/auth/who", headers=asking),
        await client.get("/api/v1/auth/nowhere", headers=asking),
    ):
        assert answer.headers["access-control-allow-origin"] == BASE_URL
        assert answer.headers["access-control-allow-credentials"] == "true"
        assert answer.headers["vary"] == "Origin"


async def test_pages_are_no_business_of_other_sites(client: httpx.AsyncClient) -> None:
    asking = {"origin": "https://elsewhere.example", "access-control-request-method": "GET"}
    for answer in (
        await client.options("/page", headers=asking),
        await client.get("/page", headers=asking),
    ):
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert "x-api-version" not in answer.headers


async def test_every_answer_of_the_api_shows_its_version(client: httpx.AsyncClient) -> None:
    for path in ("/api/v1/empty", "/api/v1/nowhere", "/wp-json/novel/v1/boom"):
        answer = await client.get(path)
        assert answer.headers["x-api-version"] == "1.0.0"
        assert "X-Api-Version" in answer.headers["access-control-expose-headers"]
        assert answer.headers["access-control-allow-origin"] == "*"


async def test_a_websocket_is_turned_away(front: Front) -> None:
    sent: list[str] = []

    async def receive() -> dict[str, object]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, object]) -> None:
        sent.append(str(message["type"]))

    scope: dict[str, object] = {"type": "websocket", "path": "/api/v1/empty", "headers": []}
    await front.app(scope, receive, send)
    assert sent == ["websocket.close"]
