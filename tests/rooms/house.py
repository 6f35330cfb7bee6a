"""The whole application in this process, on a database of its own, with a clock that is set."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import httpx

from rensai.config import load
from rensai.kit.cache import open_cache
from rensai.kit.clock import SetClock
from rensai.kit.db import Database
from rensai.kit.limits import Limits
from rensai.kit.services import Services
from rensai.wiring.app import create_app

BASE_URL = "http://books.example.com"
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class House:
    """What a test may do with it: visit, look behind the scenes, move the clock."""

    visitor: httpx.AsyncClient
    services: Services
    clock: SetClock


@asynccontextmanager
async def open_house(
    database: Database, folder: Path, *, base_url: str = BASE_URL, address: str = "192.0.2.1"
) -> AsyncGenerator[House, None]:
    """Build everything that a web process builds, save the socket."""
    clock = SetClock(NOON)
    services = Services(
        config=load({"RENSAI_DATA_DIR": str(folder), "NODE_ENV": "test", "BASE_URL": base_url}),
        db=database,
        clock=clock,
        cache=open_cache(clock),
        limits=Limits(clock),
    )
    # httpx and Litestar both describe ASGI, each in its own types.
    app = cast("httpx._transports.asgi._ASGIApp", create_app(services))  # pyright: ignore[reportPrivateUsage]
    transport = httpx.ASGITransport(app=app, client=(address, 4711))
    async with httpx.AsyncClient(transport=transport, base_url=base_url) as visitor:
        yield House(visitor, services, clock)
