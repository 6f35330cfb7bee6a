"""The small site and somebody who visits it."""

from collections.abc import AsyncGenerator

import httpx
import pytest

from tests.kit.web.front import Front


@pytest.fixture
def front() -> Front:
    return Front()


@pytest.fixture
async def client(front: Front, anyio_backend: object) -> AsyncGenerator[httpx.AsyncClient, None]:
    async with front.client() as visitor:
        yield visitor
