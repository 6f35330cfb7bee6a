"""Something to look at while a command works: a line that changes on a terminal, with a bar where
the end is known; elsewhere a plain line now and then."""

import asyncio
import sys
from collections.abc import Callable

import click

_TERMINAL_SECONDS = 0.5
_PLAIN_SECONDS = 10.0
_BAR = 24


async def show_progress(
    what: str, done: Callable[[], int], over: asyncio.Event, *, total: int | None = None
) -> None:
    """Tell how many are done and how fast, until it is over; `total` is where it ends at last."""
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
            rate = (count - last) / (now - then)
            click.echo(clear + progress_line(what, count, total, rate), nl=not terminal)
            last, then = count, now
    seconds = clock() - began
    click.echo(f"{clear}{what}: {done():,} done in {seconds:.1f} s")


def progress_line(what: str, count: int, total: int | None, rate: float) -> str:
    """How far it has come."""
    if not total:
        return f"{what}: {count:,} done, {rate:,.0f}/s"
    full = _BAR * min(count, total) // total
    bar = "#" * full + "-" * (_BAR - full)
    return f"{what}: [{bar}] {count:,} of {total:,} done, {rate:,.0f}/s"
