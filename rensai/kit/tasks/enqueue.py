"""Ask for a task in the caller's own transaction: it exists if and only if that commits."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import NamedTuple, TypeVar

import msgspec

from rensai.kit.db import Tx
from rensai.kit.tasks import store
from rensai.kit.tasks.declare import Task

A = TypeVar("A", bound=msgspec.Struct)

_NOW = timedelta(0)


class Request(NamedTuple):
    """One task to run, as the queue stores it."""

    task: str
    payload: bytes
    priority: int
    delay: timedelta
    key: str | None


def request(task: Task[A], args: A, delay: timedelta | None = None) -> Request:
    """What `enqueue` would store."""
    return Request(task.name, task.encode(args), task.priority, delay or _NOW, task.key(args))


async def enqueue(tx: Tx, task: Task[A], args: A, *, delay: timedelta | None = None) -> int | None:
    """Ask for a task; None when one that waits with the same dedupe key already answers for it."""
    return (await enqueue_requests(tx, [request(task, args, delay)]))[0]


async def enqueue_many(
    tx: Tx, task: Task[A], args: Iterable[A], *, delay: timedelta | None = None
) -> list[int | None]:
    """Ask for a task many times in one statement; one answer for each, as `enqueue` gives."""
    return await enqueue_requests(tx, [request(task, one, delay) for one in args])


async def enqueue_requests(tx: Tx, requests: Sequence[Request]) -> list[int | None]:
    """Store requests, in order; the first of those with the same key stands for the others."""
    if not requests:
        return []
    tasks, payloads, priorities, delays, keys = zip(*requests, strict=True)
    if not any(keys):
        return list(await tx.all(store.ENQUEUE, tasks, payloads, priorities, delays))
    seen: set[str] = set()
    wanted = [key is None or not (key in seen or seen.add(key)) for key in keys]
    placed = iter(
        await tx.all(
            store.ENQUEUE_KEYED,
            *(
                [value for value, kept in zip(column, wanted, strict=True) if kept]
                for column in (tasks, payloads, priorities, delays, keys)
            ),
        )
    )
    return [next(placed).id if kept else None for kept in wanted]
