"""The demo: an instance to look at, filled once and kept.

Each loader adds one part of the demo's library and leaves alone what is there already. A room
adds its loader to `LOADERS`.
"""

import secrets
import signal
from collections.abc import Awaitable, Callable

import msgspec

from rensai.kit.services import Services
from rensai.rooms.readers import door as readers

Progress = Callable[[str], None]

ADMIN_NAME = "admin"
ADMIN_EMAIL = "admin@demo.invalid"


class Welcome(msgspec.Struct):
    """What the demo tells once; empty from the second start on."""

    name: str = ""
    password: str = ""
    words: str = ""


async def load_admin(services: Services, welcome: Welcome, progress: Progress) -> None:
    """The first account, with a password that nobody else has."""
    if await readers.count_accounts(services.db.primary):
        return
    # From here on a request to stop is not heard: a password that is made must also be told.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    progress("Creating the administrator")
    password = secrets.token_urlsafe(12)
    async with services.db.transaction() as tx:
        created = await readers.create_admin(
            tx,
            username=ADMIN_NAME,
            email=ADMIN_EMAIL,
            password=password,
            clock=services.clock,
        )
    welcome.name, welcome.password, welcome.words = ADMIN_NAME, password, created.phrase


# The administrator last: it holds off a request to stop.
LOADERS: tuple[Callable[[Services, Welcome, Progress], Awaitable[None]], ...] = (load_admin,)


async def load_demo(services: Services, progress: Progress) -> Welcome:
    """Load what is missing of the demo's library."""
    welcome = Welcome()
    for loader in LOADERS:
        await loader(services, welcome, progress)
    return welcome
