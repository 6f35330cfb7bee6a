"""Commands about what the catalogue counts."""

import asyncio
import signal
from datetime import timedelta

import click

from rensai.kit.command import Shell
from rensai.kit.progress import show_progress
from rensai.kit.services import Services
from rensai.rooms.catalogue.service import RecountWorker
from rensai.rooms.catalogue.service import recount_story as count_story


@click.command("recount-worker")
@click.argument("what", type=click.Choice(["stories"]), default="stories")
@click.option(
    "--concurrency", type=click.IntRange(1, 32), default=1, show_default=True, help="At once."
)
@click.option("--limit", type=click.IntRange(1), help="End after so many stories.")
@click.option("--max-runtime", type=click.IntRange(1), help="End after so many seconds.")
@click.pass_obj
def recount_worker(
    shell: Shell, *, what: str, concurrency: int, limit: int | None, max_runtime: int | None
) -> None:
    """Count chapters, words and popularity of stories that have changed.

    `rensai serve` and `rensai worker` do this by themselves; more workers may run beside them.

    \b
    Example:
      rensai recount-worker stories --concurrency 2 --limit 500 --max-runtime 300
    """
    del what

    async def work(services: Services) -> None:
        worker = RecountWorker(
            services,
            concurrency=concurrency,
            limit=limit,
            runtime=None if max_runtime is None else timedelta(seconds=max_runtime),
        )
        stop, over = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        showing = asyncio.create_task(
            show_progress("Recounts", lambda: worker.done, over, total=limit)
        )
        try:
            await worker.run(stop)
        finally:
            over.set()
            await showing

    shell.run(work)


@click.command("recount-story")
@click.option("--story-id", type=click.IntRange(1), required=True, help="The id of the story.")
@click.pass_obj
def recount_story(shell: Shell, *, story_id: int) -> None:
    """Count one story now.

    \b
    Example:
      rensai recount-story --story-id 12345
    """

    async def work(services: Services) -> bool:
        async with services.db.transaction() as tx:
            return await count_story(tx, story_id)

    if not shell.run(work):
        raise click.ClickException(f"There is no story {story_id}.")
    click.echo(f"Counted story {story_id}.")
