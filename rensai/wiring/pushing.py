"""The work behind `rensai push`: check, push, and say what became of it."""

import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal, cast
from urllib.parse import urlsplit

import click
import msgspec

from rensai.client import Client, Waiting
from rensai.client.journal import Journal
from rensai.client.pushing import Complaint, Push, survey
from rensai.config import explain_one

_LISTED = 50
_SECONDS_BETWEEN_LINES = 2.0


@dataclass(frozen=True, slots=True)
class Where:
    """What the command was told."""

    url: str | None
    key_id: str | None
    secret: str | None
    source: str | None
    workers: int
    compress: str | None
    journal: Path | None


class Result(msgspec.Struct, kw_only=True):
    """What became of it all; None where nothing was sent or nobody waited."""

    stories: int
    chapters: int
    accepted: int | None = None
    requests: int | None = None
    resumed: int | None = None
    processed: int | None = None
    complaints: list[Complaint]


def check_or_push(path: Path, where: Where, *, dry_run: bool, wait: bool, again: bool) -> Result:
    """Check everything, then send what is right unless it is a dry run."""
    if not dry_run and not (where.key_id and where.secret):
        raise ValueError(
            "a key is needed: RENSAI_KEY_ID and RENSAI_SECRET, as `rensai key create` prints them"
        )
    surveyed = survey(path, where.source)
    result = Result(
        stories=surveyed.stories, chapters=surveyed.chapters, complaints=surveyed.complaints
    )
    total = surveyed.stories + surveyed.chapters
    if dry_run or not total:
        return result
    place = where.url or _own_address()
    with Progress(total) as progress, _client(place, where, progress) as client:
        journal = Journal(_journal_path(path, where), f"{place} {where.key_id}")
        push = Push(
            client,
            path,
            journal,
            source=where.source,
            progress=progress.advance,
            again=again,
        )
        try:
            outcome = push.run(surveyed, wait=wait)
        finally:
            journal.close()
    return Result(
        stories=surveyed.stories,
        chapters=surveyed.chapters,
        accepted=outcome.accepted,
        requests=outcome.requests,
        resumed=outcome.resumed,
        processed=outcome.processed,
        complaints=[*surveyed.complaints, *outcome.complaints],
    )


def told(result: Result, *, as_json: bool) -> str:
    """The summary, for a person or for a script."""
    if as_json:
        return msgspec.json.format(msgspec.json.encode(result)).decode()
    lines = [f"{each.place}: {each.code}: {each.message}" for each in result.complaints[:_LISTED]]
    if len(result.complaints) > _LISTED:
        lines.append(f"and {len(result.complaints) - _LISTED:,} more; --json lists them all")
    found = f"{result.stories:,} stories and {result.chapters:,} chapters are right"
    bad = f"{len(result.complaints):,} items are not" if result.complaints else "nothing is wrong"
    if result.accepted is None:
        lines.append(f"{found}, {bad}.")
    else:
        resumed = f", {result.resumed:,} of them sent before" if result.resumed else ""
        lines.append(
            f"{result.accepted:,} items accepted in {result.requests:,} requests{resumed}; {bad}."
        )
    if result.processed is not None:
        lines.append(f"{result.processed:,} are in the catalogue.")
    return "\n".join(lines)


class Progress:
    """A bar on a terminal, plain lines elsewhere; on standard error, as it is no answer."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._told_at = time.monotonic()
        self._bar = ExitStack()
        self._move: Callable[[int], None] = self._line

    def __enter__(self) -> "Progress":
        if sys.stderr.isatty():
            bar = click.progressbar(
                length=self._total, label="Pushing", show_pos=True, file=sys.stderr
            )
            self._move = self._bar.enter_context(bar).update
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.close()

    def advance(self, items: int) -> None:
        """So many more items were answered."""
        self._done += items
        self._move(items)

    def waits(self, waiting: Waiting) -> None:
        """Say why nothing moves."""
        why = "the key's quota is used up" if waiting.for_quota else str(waiting.why)
        click.echo(f"  {why}; trying again in {waiting.seconds:.0f} s", err=True)

    def _line(self, items: int) -> None:
        del items
        now = time.monotonic()
        if now - self._told_at >= _SECONDS_BETWEEN_LINES or self._done == self._total:
            self._told_at = now
            click.echo(f"  {self._done:,} of {self._total:,} items answered", err=True)


def _client(place: str, where: Where, progress: Progress) -> Client:
    near = urlsplit(place).scheme == "http"  # which the client allows only to this machine
    how = where.compress or ("none" if near else "zstd")
    return Client(
        place,
        where.key_id or "",
        where.secret or "",
        connections=where.workers,
        pack=None if how == "none" else cast("Literal['gzip', 'zstd']", how),
        on_wait=progress.waits,
    )


def _own_address() -> str:
    """Where the site of this configuration answers; nothing is made by asking."""
    return str(explain_one("base_url").value)


def _journal_path(path: Path, where: Where) -> Path:
    if where.journal is not None:
        return where.journal
    whole = path.resolve()
    return whole.with_name(f".{whole.name}.push-journal")
