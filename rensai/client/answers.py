"""What a server answers, and what it means for the items of the caller."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import httpx
import msgspec

from rensai.client.batches import Batch, Rejection
from rensai.client.errors import ClockSkewError, PushError, RefusedError, TroubleError
from rensai.client.retrying import RETRIED

_ENDED = frozenset({"completed", "partially_failed", "failed"})


class ItemError(msgspec.Struct, frozen=True):
    """Why the server did not accept an item."""

    index: int
    code: str
    message: str


class Accepted(msgspec.Struct, frozen=True):
    """The server's answer to a batch."""

    request_id: str
    accepted_count: int
    rejected_count: int
    errors: list[ItemError] = msgspec.field(default_factory=list[ItemError])


class Trouble(msgspec.Struct, frozen=True):
    """An accepted item that failed, or that is being tried again."""

    index: int
    status: str
    code: str
    message: str
    external_ref: str = ""
    attempts: int = 0


class Standing(msgspec.Struct, frozen=True):
    """How far a request has come."""

    request_id: str
    source: str
    job_type: str
    status: str
    total_items: int
    accepted_items: int
    rejected_items: int
    processed_items: int
    failed_items: int
    items: list[Trouble] = msgspec.field(default_factory=list[Trouble])

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.status in _ENDED

    @property
    def is_stuck(self) -> bool:
        """Whether all that is left has failed twice and waits, longer each time, for another try.

        A first failure may be that of a chapter that was quicker than its story.
        """
        waiting = sum(each.status == "retrying" and each.attempts > 1 for each in self.items)
        left = self.accepted_items - self.processed_items - self.failed_items
        return 0 < left <= waiting


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a batch. Every item that was given is in exactly one report."""

    batch: Batch
    request_id: str | None
    """What to ask after; None when nothing of the batch could be sent."""

    accepted: int
    rejected: tuple[Rejection, ...]

    @classmethod
    def of(cls, batch: Batch, answer: Accepted | None) -> "Report":
        """Map what the server says of the batch to the caller's items."""
        if answer is None:
            return cls(batch, None, 0, batch.unsendable)
        told = [
            Rejection(batch.positions[each.index], batch.items[each.index], each.code, each.message)
            for each in answer.errors
            if 0 <= each.index < len(batch.items)
        ]
        rejected = sorted((*batch.unsendable, *told), key=lambda each: each.position)
        return cls(batch, answer.request_id, answer.accepted_count, tuple(rejected))


class _Said(msgspec.Struct):
    code: str = ""
    message: str = ""
    details: object = None


class _Envelope(msgspec.Struct):
    error: _Said


def failure(answer: httpx.Response, now: float) -> PushError:
    """The error that an answer without success means, by the clock that signed the request."""
    status = answer.status_code
    try:
        said = msgspec.json.decode(answer.content, type=_Envelope).error
    except msgspec.DecodeError:
        said = _Said()
    message = said.message or _without_words(answer)
    if status in RETRIED:
        return TroubleError(f"{status} {said.code}: {message}" if said.code else message, status)
    if said.code == "timestamp_skew":
        return ClockSkewError(status, said.code, message, _ahead(answer, now))
    return RefusedError(status, said.code or "unknown", message, said.details)


def _without_words(answer: httpx.Response) -> str:
    if answer.is_redirect:
        place = answer.headers.get("location", "elsewhere")
        return f"The server sends us to {place}; use the address it really has."
    return f"The answer is {answer.status_code} without a reason; is this a Rensai server?"


def _ahead(answer: httpx.Response, now: float) -> timedelta | None:
    try:
        told = parsedate_to_datetime(answer.headers.get("date", ""))
    except ValueError:
        return None
    return datetime.fromtimestamp(now, UTC) - told.astimezone(UTC)
