"""Something to look at while a worker works: one line that changes, or a line now and then."""

import asyncio
import sys
from collections.abc import Callable

import click

_TERMINAL_SECONDS = 0.5
_PLAIN_SECONDS = 10.0


async def show_progress(what: str, done: Callable[[], int], over: asyncio.Event) -> None:
    """Tell how many are done and how fast, until it is over."""
    terminal = sys.stdout.isatty()
    clear = "\r\x1b[K" if terminal else ""
    every = _TERMINAL_SECONDS if terminal else _PLAIN_SECONDS
    clock = asyncio.get_running_loop().time
    began, last, then = clock(), 0, clock()
    while not over.is_set():
        try:
            await asyncio.wait_for(over.wait(), every)
        except TimeoutError:
            now, count = clock(), done()
            line = f"{what}: {count:,} done, {(count - last) / (now - then):,.0f}/s"
            click.echo(clear + line, nl=not terminal)
            last, then = count, now
    seconds = clock() - began
    click.echo(f"{clear}{what}: {done():,} done in {seconds:.1f} s")
