"""What happens once before the processes start: migrations, and the demo's library.

It runs in a process of its own, so that the supervisor stays small.
"""

import asyncio
import sys
from collections.abc import Callable

import msgspec

from rensai.config import Config, load, secrets_of
from rensai.kit import log
from rensai.kit.db import Database
from rensai.kit.migrate import migrate, pending
from rensai.wiring.demo import Welcome, load_demo
from rensai.wiring.failure import one_line
from rensai.wiring.services import database_settings, open_services

Progress = Callable[[str], None]


def main(arguments: list[str]) -> None:
    """`demo` also loads the demo's library; what is to be announced is printed as JSON."""
    with one_line():
        config = load()
        log.configure(config.log_level, config.log_format, secrets=secrets_of(config))
        demo = arguments == ["demo"]
        progress = _tell if demo else log.get_logger("migrate").info
        asyncio.run(_migrate(config, progress))
        welcome = asyncio.run(_load(config)) if demo else Welcome()
        sys.stdout.buffer.write(msgspec.json.encode(welcome))


def migrate_now(progress: Progress) -> list[str]:
    """Apply what is pending and give the names."""
    return asyncio.run(_migrate(load(), progress))


def check_pending() -> list[str]:
    """The names of what is pending."""
    return asyncio.run(_pending(load()))


def _tell(message: str) -> None:
    sys.stderr.write(f"  {message}\n")


async def _migrate(config: Config, progress: Progress) -> list[str]:
    async with database_settings(config) as settings:
        # Past PgBouncer, if there is one: the lock belongs to a session.
        return await migrate(
            settings.queue_url or settings.primary_url,
            progress=progress,
        )


async def _pending(config: Config) -> list[str]:
    async with database_settings(config) as settings:
        database = await Database.open(settings)
        try:
            return await pending(database.primary)
        finally:
            await database.close()


async def _load(config: Config) -> Welcome:
    async with open_services(config) as services:
        return await load_demo(services, _tell)


if __name__ == "__main__":
    main(sys.argv[1:])
