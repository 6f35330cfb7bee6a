"""`rensai tasks`: how the queue is doing, and what to do about tasks that failed for good."""

import sys
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime, timedelta

import click

from rensai.kit.command import Shell, answer, json_option
from rensai.kit.db import Tx
from rensai.kit.services import Services
from rensai.kit.tasks.dead_store import Chosen, list_dead, purge_dead, retry_dead, show_dead
from rensai.kit.tasks.figures_store import figures

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


class _Age(click.ParamType[timedelta]):
    """A length of time as `90s`, `15m`, `6h` or `7d`."""

    name = "age"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> timedelta:
        text = str(value)
        if text[:-1].isdecimal() and text[-1] in _UNITS:
            return timedelta(**{_UNITS[text[-1]]: int(text[:-1])})
        return self.fail(f"{text!r} is not an age such as 90s, 15m, 6h or 7d", param, ctx)


@click.group("tasks")
def tasks() -> None:
    """Background tasks: what waits, what failed, and what to do about it.

    A task that fails is tried again by itself. One that fails every time becomes a dead letter:
    it stays until you retry or purge it, and at most a week.
    """


@tasks.command()
@json_option
@click.pass_obj
def status(shell: Shell, *, as_json: bool) -> None:
    """How many tasks wait, run and have ended, by name."""

    found = shell.run(lambda on: figures(on.db.primary))
    if as_json:
        answer(found, as_json=True, text="")
        return
    _table(
        ("TASK", "DUE", "LATER", "RUNNING", "OLDEST"),
        (
            (one.task, one.due, one.later, one.running, f"{one.oldest_seconds:.0f} s")
            for one in found.waiting
        ),
        empty="Nothing waits and nothing runs.",
    )
    click.echo()
    _table(
        ("TASK", "OUTCOME", "COUNT", "MEAN"),
        (
            (one.task, one.outcome, one.count, f"{1000 * one.seconds / max(one.count, 1):.1f} ms")
            for one in found.ended
        ),
        empty="Nothing has ended yet.",
    )
    click.echo(f"\n{found.dead} dead. See `rensai tasks list`.")


@tasks.command("list")
@click.option("--task", help="Only tasks of this name.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@json_option
@click.pass_obj
def list_(shell: Shell, *, task: str | None, limit: int, as_json: bool) -> None:
    """The dead letters, the latest first."""

    found = shell.run(lambda on: list_dead(on.db.primary, task=task, limit=limit))
    if as_json:
        answer(found, as_json=True, text="")
        return
    _table(
        ("ID", "TASK", "ATTEMPTS", "DIED", "ERROR"),
        (
            (one.id, one.task, one.attempts, _when(one.died_at), one.error.splitlines()[0][:80])
            for one in found
        ),
        empty="There are no dead letters.",
    )


@tasks.command()
@click.argument("task_id", type=int, metavar="ID")
@json_option
@click.pass_obj
def show(shell: Shell, *, task_id: int, as_json: bool) -> None:
    """One dead letter with its arguments, its error and its traceback."""

    found = shell.run(lambda on: show_dead(on.db.primary, task_id))
    if found is None:
        raise click.ClickException(f"there is no dead letter {task_id}; see `rensai tasks list`")
    if as_json:
        answer(found, as_json=True, text="")
        return
    for name in ("id", "task", "payload", "key", "priority", "attempts", "error"):
        click.echo(f"{name + ':':<10} {getattr(found, name)}")
    click.echo(f"{'asked:':<10} {_when(found.created_at)}")
    click.echo(f"{'died:':<10} {_when(found.died_at)}")
    if found.traceback:
        click.echo(f"\n{found.traceback.rstrip()}")


def _choice(command: Callable[..., None]) -> Callable[..., None]:
    """Which dead letters a command means; all of them only when that is said aloud."""
    for option in (
        json_option,
        click.option("--all", "everything", is_flag=True, help="All dead letters."),
        click.option("--older-than", type=_Age(), help="Only those that died so long ago: 6h, 7d."),
        click.option("--task", help="Those of this name."),
        click.argument("ids", type=int, nargs=-1, metavar="[ID]..."),
    ):
        command = option(command)
    return command


@tasks.command()
@_choice
@click.pass_obj
def retry(
    shell: Shell,
    *,
    ids: Sequence[int],
    task: str | None,
    older_than: timedelta | None,
    everything: bool,
    as_json: bool,
) -> None:
    """Put dead letters back into the queue, with all their attempts before them."""
    chosen = _chosen(ids, task, older_than, everything=everything)
    _act(shell, "retried", retry_dead, chosen, as_json=as_json)


@tasks.command()
@_choice
@click.pass_obj
def purge(
    shell: Shell,
    *,
    ids: Sequence[int],
    task: str | None,
    older_than: timedelta | None,
    everything: bool,
    as_json: bool,
) -> None:
    """Throw dead letters away."""
    chosen = _chosen(ids, task, older_than, everything=everything)
    _act(shell, "purged", purge_dead, chosen, as_json=as_json)


def _chosen(
    ids: Sequence[int], task: str | None, older_than: timedelta | None, *, everything: bool
) -> Chosen:
    if not (ids or task or older_than or everything):
        raise click.UsageError("say which: some IDs, --task, --older-than, or --all")
    return Chosen(ids or None, task, older_than)


def _act(
    shell: Shell,
    verb: str,
    change: Callable[[Tx, Chosen], Awaitable[list[int]]],
    chosen: Chosen,
    *,
    as_json: bool,
) -> None:
    async def run(services: Services) -> list[int]:
        async with services.db.transaction() as tx:
            return await change(tx, chosen)

    touched = sorted(shell.run(run))
    missing = sorted(set(chosen.ids or ()) - set(touched))
    answer({verb: touched, "missing": missing}, as_json=as_json, text=f"{verb} {len(touched)}")
    if missing:
        click.echo(f"not found: {', '.join(map(str, missing))}", err=True)
        sys.exit(1)


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str) -> None:
    lines = [tuple(map(str, row)) for row in rows]
    if not lines:
        click.echo(empty)
        return
    widths = [max(map(len, column)) for column in zip(heads, *lines, strict=True)]
    for line in (heads, *lines):
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(cells).rstrip())


def _when(time: datetime) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%SZ")
