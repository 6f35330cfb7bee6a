"""Commands that work on the queue."""

import asyncio
import getpass
import re
import signal
from datetime import UTC, datetime, timedelta

import click

from rensai.kit.command import Shell, answer, json_option
from rensai.kit.progress import show_progress
from rensai.kit.services import Services
from rensai.rooms.ingest.model import CHAPTERS, STORIES
from rensai.rooms.ingest.service import dead_letters
from rensai.rooms.ingest.service.work import Bounds, Worker

_TYPES = {"stories": STORIES, "chapters": CHAPTERS}
_SIZE = re.compile(r"(\d+)\s*([KMG]?)B?", re.IGNORECASE)
_AGO = re.compile(r"-?\s*(\d+)\s*(second|minute|hour|day|week)s?(?:\s+ago)?", re.IGNORECASE)


class Size(click.ParamType[int]):
    """A number of bytes as 512M."""

    name = "size"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        found = _SIZE.fullmatch(str(value).strip())
        if found is None:
            return self.fail(f"{value!r} is not a size such as 512M", param, ctx)
        return int(found[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[found[2].upper()]


class Since(click.ParamType[datetime]):
    """A moment, as -24 hours or as 2026-02-21T08:00:00Z."""

    name = "since"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        text = str(value).strip()
        found = _AGO.fullmatch(text)
        try:
            if found is not None:
                ago = timedelta(**{f"{found[2].lower()}s": int(found[1])})
                return datetime.now(UTC) - ago
            moment = datetime.fromisoformat(text)
        except (ValueError, OverflowError):
            return self.fail(
                f"{text!r} is not a moment such as '-24 hours' or 2026-02-21T08:00:00Z", param, ctx
            )
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


@click.command("ingest-worker")
@click.argument("what", type=click.Choice(list(_TYPES)), required=False)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 32),
    default=1,
    show_default=True,
    help="How many batches are written at once.",
)
@click.option("--limit", type=click.IntRange(1), help="End after so many items.")
@click.option("--max-runtime", type=click.IntRange(1), help="End after so many seconds.")
@click.option("--memory-limit", type=Size(), help="End when it has grown larger, as 512M.")
@click.option("--drain", is_flag=True, help="End when nothing is due.")
@click.pass_obj
def ingest_worker(
    shell: Shell,
    *,
    what: str | None,
    concurrency: int,
    limit: int | None,
    max_runtime: int | None,
    memory_limit: int | None,
    drain: bool,
) -> None:
    """Write what crawlers have pushed into the catalogue.

    `rensai serve` and `rensai worker` do this by themselves; more workers may run beside them, on
    as many machines as you like. It works on stories or on chapters, or on both side by side when
    neither is named; the bounds are then those of each. Without a bound it works until it is told
    to stop; what it holds then goes back to the queue.

    \b
    Examples:
      rensai ingest-worker --limit 500 --max-runtime 60 --memory-limit 512M
      rensai ingest-worker stories --concurrency 4 --limit 1000 --max-runtime 300
      rensai ingest-worker chapters --concurrency 8 --memory-limit 512M
    """
    bounds = Bounds(
        jobs=limit,
        runtime=None if max_runtime is None else timedelta(seconds=max_runtime),
        memory=memory_limit,
        drained=drain,
    )

    async def work(services: Services) -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        async with asyncio.TaskGroup() as workers:
            for each in [what] if what else _TYPES:
                worker = Worker(services, _TYPES[each], concurrency=concurrency, bounds=bounds)
                workers.create_task(_shown(worker, each.capitalize(), stop, limit))

    shell.run(work)


async def _shown(worker: Worker, what: str, stop: asyncio.Event, limit: int | None) -> None:
    """Let it work, and show how far it has come."""
    over = asyncio.Event()
    showing = asyncio.create_task(show_progress(what, lambda: worker.done, over, total=limit))
    try:
        await worker.run(stop)
    finally:
        over.set()
        await showing


@click.command("replay-dead-letter")
@click.option("--job-type", type=click.Choice(list(_TYPES)), required=True, help="Of which kind.")
@click.option(
    "--since",
    type=Since(),
    default="-24 hours",
    show_default=True,
    help="What has failed since then: '-24 hours', or a moment.",
)
@json_option
@click.pass_obj
def replay_dead_letter(shell: Shell, *, job_type: str, since: datetime, as_json: bool) -> None:
    """Try items again that have failed for good. Who did so is noted in the log.

    \b
    Example:
      rensai replay-dead-letter --job-type chapters --since "-24 hours"
    """

    async def work(services: Services) -> int:
        return await dead_letters.replay(
            services.db, services.clock, _TYPES[job_type], since, operator=getpass.getuser()
        )

    count = shell.run(work)
    answer({"replayed": count}, as_json=as_json, text=f"{count:,} {job_type} are tried again.")
