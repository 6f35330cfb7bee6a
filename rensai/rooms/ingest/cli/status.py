"""`rensai ingest status`: how the queue stands, once or as it changes."""

import asyncio
import sys
from collections.abc import Iterable, Sequence

import click

from rensai.kit.command import Shell, answer, json_option
from rensai.kit.services import Services
from rensai.rooms.ingest.service.figures import LATELY, Figures, figures

_EVERY = 2.0
_HEAD = ("QUEUE", "DUE", "LATER", "RUNNING", "LAG", "DONE/MIN", "SLOWEST", "FAILED", "DEAD")


@click.group("ingest")
def ingest() -> None:
    """What crawlers have pushed and how it gets on."""


@ingest.command()
@click.option("--watch", is_flag=True, help="Go on showing it until Ctrl-C.")
@json_option
@click.pass_obj
def status(shell: Shell, *, watch: bool, as_json: bool) -> None:
    """How much waits, how fast it goes, and what goes wrong.

    \b
    Examples:
      rensai ingest status
      rensai ingest status --watch
      rensai ingest status --watch --json | jq .queues
    """

    async def work(services: Services) -> None:
        while True:
            found = await figures(services.db.primary, services.clock)
            _show(found, live=watch and sys.stdout.isatty(), as_json=as_json)
            if not watch:
                return
            await asyncio.sleep(_EVERY)

    try:
        shell.run(work)
    except KeyboardInterrupt:
        return


def _show(found: Figures, *, live: bool, as_json: bool) -> None:
    if as_json:
        answer(found, as_json=True, text="")
        return
    if live:
        click.clear()
    click.echo(as_text(found))


def as_text(found: Figures) -> str:
    """The figures as tables."""
    recent = {one.job_type: one for one in found.recent}
    minutes = LATELY.total_seconds() / 60
    lines = _table(
        [
            _HEAD,
            *(
                (
                    _plain(queue.job_type),
                    *(f"{count:,}" for count in (queue.due, queue.later, queue.running)),
                    f"{queue.lag_seconds:.1f} s",
                    f"{recent[queue.job_type].done / minutes:,.0f}",
                    f"{recent[queue.job_type].slowest_seconds:.1f} s",
                    f"{queue.failed:,}",
                    f"{queue.dead:,}",
                )
                for queue in found.queues
            ),
        ]
    )
    if found.failing:
        failing = [
            (_plain(one.job_type), one.code, f"{one.retrying:,}", f"{one.failed:,}")
            for one in found.failing
        ]
        lines += ["", *_table([("QUEUE", "CODE", "RETRYING", "FAILED"), *failing])]
    return "\n".join(lines)


def _plain(job_type: str) -> str:
    return job_type.removesuffix("_bulk")


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [_line(row, widths) for row in rows]


def _line(cells: Iterable[str], widths: Iterable[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
