"""Commands of search."""

import asyncio
import gc
import os
import socket
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import click

from rensai.kit.command import Shell, answer, json_option
from rensai.kit.progress import show_progress
from rensai.kit.services import Services
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.search.errors import BeingBuilt
from rensai.rooms.search.service.explain import Explained
from rensai.rooms.search.service.explain import explain as explain_text
from rensai.rooms.search.service.rebuild import Rebuild
from rensai.rooms.search.service.verify import Drift
from rensai.rooms.search.service.verify import verify as verify_index


@click.group()
def search() -> None:
    """The search index: build it, compare it, ask it why.

    The index keeps itself true while workers run. It is built anew by itself when a release
    needs that; readers see the old one until the new one is whole.
    """


@search.command()
@click.option("--from-start", is_flag=True, help="Forget what an interrupted rebuild has done.")
@click.option("--quiet", is_flag=True, help="Say nothing until the end.")
@json_option
@click.pass_obj
def rebuild(shell: Shell, *, from_start: bool, quiet: bool, as_json: bool) -> None:
    """Build the index anew, beside the one that readers see.

    It may be interrupted: the next call goes on where it was.

    \b
    Example:
      rensai search rebuild
    """

    async def work(services: Services) -> tuple[int, float]:
        total = (await catalogue.count_public(services.db.primary)).stories
        name = f"{socket.gethostname()[:30]}:{os.getpid()}"
        shown = _Shown(shown=not (quiet or as_json))
        # Entries hold no circles; looking for some took a fifth of the time.
        gc.freeze()
        gc.disable()
        began = time.monotonic()
        async with shown.showing("Stories", total):
            builder = Rebuild(services.db, services.clock, name, shown.at)
            count = await builder.run(from_start=from_start)
        return count, time.monotonic() - began

    try:
        count, seconds = shell.run(work)
    except BeingBuilt as busy:
        raise click.ClickException(f"{busy.message} Try again when it is done.") from busy
    answer(
        {"stories": count, "seconds": round(seconds, 2)},
        as_json=as_json,
        text=f"Indexed {count:,} stories in {seconds:.1f} s ({count / max(seconds, 0.01):,.0f}/s).",
    )


@search.command()
@click.option("--repair", is_flag=True, help="Write what differs as it should be.")
@json_option
@click.pass_obj
def verify(shell: Shell, *, repair: bool, as_json: bool) -> None:
    """Compare the index with what a rebuild would make, and list what differs.

    What has changed a moment ago and is waiting for a worker differs too; it is looked at twice.
    Ends with 1 when something differs.

    \b
    Examples:
      rensai search verify
      rensai search verify --repair
    """

    async def work(services: Services) -> list[Drift]:
        total = (await catalogue.count_public(services.db.primary)).stories
        shown = _Shown(shown=not as_json)
        async with shown.showing("Stories", total):
            return await verify_index(services.db, services.clock, shown.at, repair=repair)

    drift = shell.run(work)
    lines = [
        f"{'facets' if one.story_id is None else f'story {one.story_id}'}: {', '.join(one.parts)}"
        for one in drift
    ]
    lines.append(
        f"{len(drift):,} {'were mended' if repair else 'differ'}."
        if drift
        else "The index is as a rebuild would make it."
    )
    answer(drift, as_json=as_json, text="\n".join(lines))
    if drift and not repair:
        raise SystemExit(1)


@search.command()
@click.argument("query")
@json_option
@click.pass_obj
def explain(shell: Shell, *, query: str, as_json: bool) -> None:
    """Say how a text is understood, what each word finds, and why the first ten are first.

    \b
    Example:
      rensai search explain 'author:"cô đơn" thần đạo -ngoại'
    """

    async def work(services: Services) -> Explained:
        return await explain_text(services.db.primary, query)

    found = shell.run(work)
    answer(found, as_json=as_json, text=_spelt_out(found))


def _spelt_out(found: Explained) -> str:
    lines = ["Understood as:", *(f"  {line}" for line in found.understood or ["nothing"])]
    lines += ["", "Found, the best first:"]
    lines += [f"  {tier.name.lower():14} {tier.stories:>9,}" for tier in found.tiers] or [
        "  nothing"
    ]
    if found.corrected:
        lines += ["", f"Probably meant: {found.corrected}"]
    lines += ["", f"The first of {found.total:,}:"]
    lines += [f"  {hit.tier.lower():14} {hit.story_id:>9} {hit.title}" for hit in found.first]
    lines += [
        "",
        f"Took {found.milliseconds:.1f} ms with a warm index of {found.indexed:,} stories.",
    ]
    return "\n".join(lines)


class _Shown:
    """How many are done, and whether somebody wants to see it while it works."""

    def __init__(self, *, shown: bool) -> None:
        self.done = 0
        self._shown = shown

    def at(self, done: int) -> None:
        """So many are done."""
        self.done = done

    @asynccontextmanager
    async def showing(self, what: str, total: int) -> AsyncGenerator[None, None]:
        """Show it until the end."""
        over = asyncio.Event()
        telling = asyncio.create_task(show_progress(what, lambda: self.done, over, total=total))
        if not self._shown:
            telling.cancel()
        try:
            yield
        finally:
            over.set()
            await asyncio.gather(telling, return_exceptions=True)
