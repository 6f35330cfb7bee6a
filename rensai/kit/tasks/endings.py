"""One pick and how it may end, and what is kept of an error."""

import asyncio
import traceback
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from rensai.kit.tasks.declare import AnyTask

_ERROR_LENGTH = 2_000
_TRACEBACK_LENGTH = 20_000


class Succeeded(NamedTuple):
    """The task is done."""


class Retried(NamedTuple):
    """It failed and is tried again later."""

    delay: timedelta
    error: str
    traceback: str | None


class Buried(NamedTuple):
    """It failed for good and goes to the dead letters."""

    attempts: int
    error: str
    traceback: str | None


class GivenBack(NamedTuple):
    """The worker stops; somebody else begins it anew, and this attempt does not count."""


class Lost(NamedTuple):
    """Another worker owns it by now: nothing that this one did with it counts."""


Ending = Succeeded | Retried | Buried | GivenBack | Lost


@dataclass(slots=True, eq=False)
class Run:
    """One pick, from the moment this worker owns it until its ending is recorded."""

    id: int
    task: AnyTask
    payload: bytes
    attempts: int
    stamp: datetime
    seconds: float = 0.0
    job: asyncio.Task[None] | None = None
    withdrawn: GivenBack | Lost | None = None
    """Why this worker itself cancelled it."""

    def withdraw(self, reason: GivenBack | Lost) -> None:
        """Stop it; what it did so far does not count as an attempt."""
        self.withdrawn = reason
        if self.job is not None:
            self.job.cancel()


def failed(run: Run, failure: BaseException, error: str | None = None) -> Retried | Buried:
    """What follows from a failure: another attempt while there are any left."""
    attempts = run.attempts + 1
    if attempts >= run.task.retry.attempts:
        return buried(run, failure, error)
    return Retried(run.task.retry.delay(attempts), _said(failure, error), _traceback(failure))


def buried(run: Run, failure: BaseException, error: str | None = None) -> Buried:
    """A failure after which there is no other attempt."""
    return Buried(run.attempts + 1, _said(failure, error), _traceback(failure))


def _said(failure: BaseException, error: str | None) -> str:
    return _clean(error or f"{type(failure).__name__}: {failure}", _ERROR_LENGTH)


def _traceback(failure: BaseException) -> str:
    return _clean("".join(traceback.format_exception(failure)), _TRACEBACK_LENGTH)


def _clean(text: str, length: int) -> str:
    """Text that PostgreSQL can store: no NUL, no half of a character, not endless."""
    text = text.replace("\0", "\\0").encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= length else f"{text[: length // 2]} … {text[-length // 2 :]}"
