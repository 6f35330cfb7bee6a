"""A body that dribbles in is waited for only so long."""

import asyncio
from collections.abc import AsyncGenerator

import httpx
import pytest

from rensai.kit.web import slow
from rensai.kit.web.asgi import Message
from rensai.kit.web.errors import BadRequest, RequestTimeout

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow, "GRACE_SECONDS", 0.3)
    monkeypatch.setattr(slow, "SLOWEST_BYTES_PER_SECOND", 1000)


async def post(client: httpx.AsyncClient, parts: int, size: int, pause: float) -> httpx.Response:
    async def dribble() -> AsyncGenerator[bytes, None]:
        for _ in range(parts):
            yield b" " * size
            await asyncio.sleep(pause)
        yield b'{"name":"late"}'

    headers = {"content-type": "application/json"}
    return await client.post("/api/v1/things", content=dribble(), headers=headers)


async def test_a_dribbled_body_is_given_up(client: httpx.AsyncClient) -> None:
    answer = await post(client, 100, 1, 0.05)
    assert answer.status_code == 408
    assert answer.json()["code"] == "REQUEST_TIMEOUT"
    assert answer.headers["connection"] == "close"


async def test_a_slow_but_steady_body_is_waited_for(client: httpx.AsyncClient) -> None:
    answer = await post(client, 10, 100, 0.05)  # half a second, past the grace
    assert answer.status_code == 200
    assert answer.json()["name"] == "late"


async def test_a_silent_client_is_given_up() -> None:
    async def silent() -> Message:
        await asyncio.sleep(60)
        raise AssertionError

    with pytest.raises(RequestTimeout):
        await slow.PatientReceive(silent)()


async def test_a_client_that_hangs_up_made_a_bad_request() -> None:
    async def gone() -> Message:
        return {"type": "http.disconnect"}

    with pytest.raises(BadRequest):
        await slow.PatientReceive(gone)()


async def test_once_the_body_is_there_nobody_is_hurried() -> None:
    messages: list[Message] = [
        {"type": "http.request", "body": b"x", "more_body": False},
        {"type": "http.disconnect"},
    ]

    async def receive() -> Message:
        if len(messages) == 1:
            await asyncio.sleep(0.5)
        return messages.pop(0)

    patient = slow.PatientReceive(receive)
    assert (await patient())["body"] == b"x"
    assert (await patient())["type"] == "http.disconnect"
