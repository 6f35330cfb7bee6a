"""What Litestar would do dearly, done in turn."""

import asyncio

import httpx
import pytest
from litestar import get
from litestar.di import NamedDependency, Provide

from rensai.kit.web.lean import LeanLitestar, provide_in_turn
from rensai.kit.web.personal import personal

pytestmark = pytest.mark.anyio


@get("/both")
async def both(one: NamedDependency[int], other: NamedDependency[int]) -> list[int]:
    return [one, other]


async def test_what_a_handler_needs_is_provided_without_a_task_of_its_own() -> None:
    tasks: list[asyncio.Task[object] | None] = []

    async def provide() -> int:
        tasks.append(asyncio.current_task())
        return len(tasks)

    async def provide_other() -> int:
        return await provide()

    application = LeanLitestar(
        [both],
        dependencies={"one": Provide(provide), "other": Provide(provide_other)},
        openapi_config=None,
        logging_config=None,
    )
    provide_in_turn(application)
    transport = httpx.ASGITransport(application)  # pyright: ignore[reportArgumentType] - Litestar's own types
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        assert sorted((await client.get("/both")).json()) == [1, 2]
    assert tasks[0] is tasks[1] is asyncio.current_task()


@get("/mine", status_code=200)
async def mine() -> object:
    return personal({"a": 1}, status=201)


async def test_a_personal_answer_is_kept_by_nobody() -> None:
    application = LeanLitestar([mine], openapi_config=None, logging_config=None)
    transport = httpx.ASGITransport(application)  # pyright: ignore[reportArgumentType] - Litestar's own types
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        answer = await client.get("/mine")
    assert (answer.status_code, answer.json()) == (201, {"a": 1})
    assert answer.headers["cache-control"] == "private, no-store"
    assert answer.headers["content-length"] == "7"
