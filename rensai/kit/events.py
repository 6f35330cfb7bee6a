"""News between rooms: what happened is stored with what it caused, in one transaction.

A room declares its events in `events.py` and emits them; `rensai/wiring/subscriptions.py`
says which tasks each one starts. A subscriber is a plain task whose arguments are the event, or
a `Digest`: one task for all that a transaction tells, when only what it is about matters. What
has to be true in the very same transaction is `Within` it, and no task.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

import msgspec

from rensai.kit.db import Tx
from rensai.kit.tasks.declare import AnyTask, Task
from rensai.kit.tasks.enqueue import Request, enqueue_requests, request

LONGEST_DIGEST = 1000
"""How many things one task is about at most; more make more tasks."""


class Event(msgspec.Struct, frozen=True, tag=True):
    """Something that happened, told in the past tense: `ChapterPublished`."""


class About(msgspec.Struct, frozen=True):
    """What the news of a transaction was about, each thing once: the arguments for a digest."""

    ids: list[int]


@dataclass(frozen=True, slots=True)
class Digest:
    """A subscriber that reads the present state of things, and hears of many at once."""

    task: Task[About]
    about: Callable[[Any], int]
    """Any: takes whichever events the table of subscriptions lists it under."""

    after: timedelta | None = None
    """How long to wait: where the task has a dedupe key, what is told meanwhile is folded in."""


@dataclass(frozen=True, slots=True)
class Within:
    """A subscriber that does its part before `emit` returns, and fails the transaction if it fails.

    It holds up whoever tells the news: only for what must never be seen half done.
    """

    part: Callable[[Tx, Any], Awaitable[None]]
    """Any: takes whichever events the table of subscriptions lists it under."""


Subscriber = AnyTask | Digest | Within


async def emit(tx: Tx, *events: Event) -> None:
    """Start every subscriber of these events when the transaction commits, and not otherwise."""
    requests: list[Request] = []
    told: dict[Digest, dict[int, None]] = {}
    for event in events:
        for subscriber in cast("Iterable[Subscriber]", tx.subscriptions.get(type(event), ())):
            if isinstance(subscriber, Digest):
                told.setdefault(subscriber, {})[subscriber.about(event)] = None
            elif isinstance(subscriber, Within):
                await subscriber.part(tx, event)
            else:
                requests.append(request(subscriber, event))
    await enqueue_requests(tx, [*requests, *_digested(told)])


def _digested(told: Mapping[Digest, Iterable[int]]) -> Iterator[Request]:
    for digest, ids in told.items():
        every = list(ids)
        for start in range(0, len(every), LONGEST_DIGEST):
            yield request(digest.task, About(every[start : start + LONGEST_DIGEST]), digest.after)
