"""Fills the demo's library the way a crawler would: through the ingest API, signed with a key.

It does so once. What was cut off is done again from the start: batches that the server knows
already are answered at once and change nothing.
"""

import asyncio
import sys
import time
from collections.abc import Callable, Iterable

from rensai.client import Client, PushError, Report
from rensai.config import Config
from rensai.kit.services import Services
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.ingest import door as ingest
from rensai.wiring import demo_library as library

_KEY_NAME = "demo library"
_OPERATOR = "demo"
_CONNECTIONS = 2
_SECONDS_BETWEEN_LINES = 2.0


async def fill_library(services: Services, stop: asyncio.Event, ready: Callable[[], None]) -> None:
    """Push what the library lacks; return when all of it can be read, or at `stop`."""
    ready()
    if await _is_filled(services):
        return
    await _revoke_keys(services)
    key = await _make_key(services)
    began = time.monotonic()
    try:
        with Client(
            _address(services.config), key.key_id, key.secret, connections=_CONNECTIONS
        ) as client:
            filling = asyncio.create_task(asyncio.to_thread(_fill, client))
            is_filled = await _until(stop, client, filling)
        await _count(services)
        if is_filled:
            _tell(
                f"The library is filled: {library.STORIES} novels, "
                f"{library.chapter_total():,} chapters, in {time.monotonic() - began:.1f} s"
            )
    finally:
        await _revoke_keys(services)


async def _is_filled(services: Services) -> bool:
    held = await catalogue.count_held(services.db.primary, library.SOURCE)
    return held.stories >= library.STORIES and held.chapters >= library.chapter_total()


async def _count(services: Services) -> None:
    """At once: totals otherwise wait a minute for more to change, and a visitor sees none."""
    async with services.db.transaction() as tx:
        await catalogue.touch_source(tx, services.clock, library.SOURCE)
    await catalogue.recount_due(services.db, services.clock, _KEY_NAME)


async def _until(stop: asyncio.Event, client: Client, filling: "asyncio.Task[None]") -> bool:
    """Whether it was filled; a request to stop is heard between two batches, and is no failure."""
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait({stopped, filling}, return_when=asyncio.FIRST_COMPLETED)
    client.give_up()
    try:
        await filling
    except PushError as problem:
        if not stop.is_set():
            _tell(f"The library is not filled yet; the next start goes on with it: {problem}")
        return False
    else:
        return True
    finally:
        stopped.cancel()


def _fill(client: Client) -> None:
    _tell(f"Filling the library with {library.STORIES} novels in five languages")
    stories = _requests(client.push_stories(library.SOURCE, library.story_items()))
    _wait(client, stories)
    total = library.chapter_total()
    done = 0
    told_at = time.monotonic()
    requests: list[str] = []
    for report in client.push_chapters(library.SOURCE, library.chapter_items()):
        requests += _requests([report])
        done += len(report.batch.items)
        if time.monotonic() - told_at >= _SECONDS_BETWEEN_LINES:
            told_at = time.monotonic()
            _tell(f"  {done:,} of {total:,} chapters sent")
    _wait(client, requests)


def _requests(reports: Iterable[Report]) -> list[str]:
    """What to ask after; the library is ours, so a server that refuses any of it is at fault."""
    found: list[str] = []
    for report in reports:
        if report.rejected:
            first = report.rejected[0]
            raise PushError(f"{first.code}: {first.message}")
        if report.request_id is not None:
            found.append(report.request_id)
    return found


def _wait(client: Client, requests: Iterable[str]) -> None:
    for request in requests:
        client.wait_for(request)


async def _make_key(services: Services) -> ingest.NewKey:
    """A key for this filling alone, good on this machine alone."""
    async with services.db.transaction() as tx:
        return await ingest.create_key(
            tx,
            sealing_secrets=services.config.sealing_secrets,
            name=_KEY_NAME,
            permissions=("ingest:stories", "ingest:chapters"),
            sources=(library.SOURCE,),
            networks=("127.0.0.0/8", "::1/128"),
            requests_per_minute=0,
            bytes_per_minute=0,
            operator=_OPERATOR,
            now=services.clock.now(),
        )


async def _revoke_keys(services: Services) -> None:
    """Every key that a filling has made, those of one that was cut off too."""
    for key in await ingest.list_keys(services.db.primary):
        if key.key_name == _KEY_NAME and key.sources == [library.SOURCE] and key.is_active:
            async with services.db.transaction() as tx:
                now = services.clock.now()
                await ingest.revoke_key(tx, key.key_id, operator=_OPERATOR, now=now)


def _address(config: Config) -> str:
    """Where the site answers on this machine, whatever the world calls it."""
    host = config.host
    if host in {"0.0.0.0", "::", ""}:  # noqa: S104 - to compare with, not to listen on
        host = "127.0.0.1"
    return f"http://[{host}]:{config.port}" if ":" in host else f"http://{host}:{config.port}"


def _tell(text: str) -> None:
    sys.stdout.write(f"  {text}\n")
    sys.stdout.flush()
