"""One browser and two sites, an empty one and a full one, for all tests of a process."""

import os
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.async_api import Browser, async_playwright

from rensai.kit.db import Command, Database, DatabaseSettings
from tests.browser.site import Site, running_site
from tests.postgres import TestServer, fresh_database
from tests.rooms.catalogue.stories import MORNING, add_story

_DEBIAN = Path("/usr/bin/chromium")
DEBIAN = _DEBIAN if _DEBIAN.exists() else None  # else the one that Playwright has downloaded
SWITCHES = [
    "--headless=new",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
TITLES = [
    ("Thần Đạo Đan Tôn", "novel", "Cô Đơn Địa Phi"),
    ("The Lighthouse Keeper", "novel", "M. Ferreira"),
    ("Bóng Ma Kinh Thành", "novel", ""),
    ("Winter in the Eastern Capital, or What the Cartographer's Apprentice Saw", "manga", "H. Ito"),
    ("Élan", "manhwa", "Nguyễn Thị Minh"),
    ("Supercalifragilisticexpialidocious", "manhua", "Llanfairpwllgwyngyllgogerychwyrndrobwll"),
]
_NAME = Command("UPDATE instance_config SET name = $1, description = $2, announcement = $3")


@pytest.fixture(scope="session")
async def browser(anyio_backend: object) -> AsyncGenerator[Browser, None]:
    """A Chromium that speaks to nobody but the site."""
    switches = [*SWITCHES, "--no-sandbox"] if os.geteuid() == 0 else SWITCHES
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=DEBIAN, args=switches)
        yield launched
        await launched.close()


@pytest.fixture(scope="session")
async def empty_site(
    postgres_server: TestServer,
    tmp_path_factory: pytest.TempPathFactory,
    anyio_backend: object,
) -> AsyncGenerator[Site, None]:
    """A site as its operator first sees it."""
    async with fresh_database(postgres_server) as url:
        with running_site(url, tmp_path_factory.mktemp("empty")) as site:
            yield site


@pytest.fixture(scope="session")
async def full_site(
    postgres_server: TestServer,
    tmp_path_factory: pytest.TempPathFactory,
    anyio_backend: object,
) -> AsyncGenerator[Site, None]:
    """A site with two pages of stories, and long words in them."""
    async with fresh_database(postgres_server) as url:
        database = await Database.open(DatabaseSettings(primary_url=url, pool_size=1))
        await _fill(database)
        await database.close()
        with running_site(url, tmp_path_factory.mktemp("full")) as site:
            yield site


async def _fill(database: Database) -> None:
    for number in range(30):
        title, kind, author = TITLES[number % len(TITLES)]
        await add_story(
            database,
            f"story-{number}",
            title=title if number < len(TITLES) else f"{title} {number // len(TITLES) + 1}",
            kind=kind,
            status=1 + number % 2,
            authors=[author] if author else [],
            popularity=number * 7919 % 101,
            updated_at=MORNING - timedelta(hours=number),
            chapters=number * 31 % 250,
        )
    async with database.transaction() as tx:
        await tx.run(
            _NAME,
            "Ánh Trăng Library",
            "Web novels and comics that our group translates.",
            "New chapters every Friday evening.",
        )
