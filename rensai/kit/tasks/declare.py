"""How a task is declared: what it takes, where it waits, and what happens when it fails."""

import inspect
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, get_type_hints

import anyio.to_thread
import msgspec

from rensai.kit.clock import Clock
from rensai.kit.db import Database

if TYPE_CHECKING:
    from rensai.config import Config
    from rensai.kit.cache import Cache
    from rensai.kit.services import Services

A = TypeVar("A", bound=msgspec.Struct)

_ENCODER = msgspec.json.Encoder()
_NAMES: dict[str, str] = {}


class PermanentFailure(Exception):
    """The task can never succeed: no retry, straight to the dead letters."""


@dataclass(frozen=True, slots=True)
class Retry:
    """When a failed task is tried again: `first`, then `factor` times longer each time."""

    attempts: int = 3
    first: timedelta = timedelta(seconds=5)
    factor: float = 2.0
    jitter: float = 0.2
    longest: timedelta = timedelta(hours=6)

    def delay(self, failed: int) -> timedelta:
        """How long to wait after the given number of failed attempts."""
        wait = min(self.first.total_seconds() * self.factor ** min(failed - 1, 64), 1e9)
        wait = min(wait, self.longest.total_seconds())
        spread = random.uniform(1 - self.jitter, 1 + self.jitter)  # noqa: S311 - not a secret
        return timedelta(seconds=wait * spread)


@dataclass(frozen=True, slots=True)
class TaskContext:
    """What a running task may use."""

    services: "Services"
    task_id: int
    attempt: int
    """1 for the first try; the last one is `retry.attempts`."""

    @property
    def db(self) -> Database:
        return self.services.db

    @property
    def clock(self) -> Clock:
        return self.services.clock

    @property
    def config(self) -> "Config":
        return self.services.config

    @property
    def cache(self) -> "Cache":
        return self.services.cache


Call = Callable[[TaskContext, A], Awaitable[None]]
Handler = Call[A] | Callable[[TaskContext, A], None]


@dataclass(frozen=True, eq=False)
class Task(Generic[A]):
    """A declared task; `enqueue` asks for it, a worker makes the `call`."""

    name: str
    call: Call[A]
    args_type: type[A]
    queue: str
    priority: int
    concurrency: int
    retry: Retry
    dedupe: Callable[[A], str | None] | None
    schedule: str | None
    timeout: timedelta
    decode: Callable[[bytes], A]

    def encode(self, args: A) -> bytes:
        """The payload as it is stored."""
        return _ENCODER.encode(args)

    def key(self, args: A) -> str | None:
        """What makes two requests the same one, or None when each stands for itself."""
        own = self.dedupe(args) if self.dedupe else None
        return None if own is None else f"{self.name}:{own}"

    def __repr__(self) -> str:
        return f"Task({self.name})"


AnyTask = Task[Any]
"""A task in a table of tasks, where each has arguments of its own type."""


def task(
    *,
    name: str | None = None,
    queue: str = "default",
    priority: int = 0,
    concurrency: int = 0,
    retry: Retry | None = None,
    dedupe: Callable[[Any], str | None] | None = None,
    schedule: str | None = None,
    timeout: timedelta = timedelta(minutes=5),
) -> Callable[[Handler[A]], Task[A]]:
    """Declare the decorated function as a task.

    A plain function runs in a thread and must tolerate that it goes on there after a timeout.
    `concurrency` counts over all workers (0: no limit); a higher `priority` goes first;
    `dedupe` names what makes two requests the same (see docs/tasks.md); `schedule` is a cron
    expression in UTC, for tasks whose arguments all have defaults. The name is the room and
    the function: it is stored with waiting tasks, so renaming strands those.
    """

    def declare(handler: Handler[A]) -> Task[A]:
        full = name or _name(handler)
        where = f"{handler.__module__}.{handler.__qualname__}"
        if _NAMES.setdefault(full, where) != where:
            raise ValueError(f"two tasks are named {full}: {_NAMES[full]} and {where}")
        args_type = _args_type(handler)
        if schedule is not None:
            args_type()
        return Task(
            name=full,
            call=_call(handler),
            args_type=args_type,
            queue=queue,
            priority=priority,
            concurrency=concurrency,
            retry=retry or Retry(),
            dedupe=dedupe,
            schedule=schedule,
            timeout=timeout,
            decode=msgspec.json.Decoder(args_type).decode,
        )

    return declare


def _call(handler: Handler[A]) -> Call[A]:
    """A plain function runs in a thread, so that nothing blocks the event loop."""
    if inspect.iscoroutinefunction(handler):
        return handler

    async def in_thread(context: TaskContext, args: A) -> None:
        await anyio.to_thread.run_sync(handler, context, args, abandon_on_cancel=True)

    return in_thread


def _name(handler: Handler[A]) -> str:
    """`rensai.rooms.catalogue.tasks.recount` is known as `catalogue.recount`."""
    parts = [part for part in handler.__module__.split(".") if part not in {"rensai", "rooms"}]
    if len(parts) > 1 and parts[-1] == "tasks":
        parts.pop()
    return ".".join([*parts, handler.__name__])


def _args_type(handler: Handler[A]) -> type[A]:
    """The type of the handler's second parameter, which must be a Struct."""
    hints = get_type_hints(handler)
    parameters = list(inspect.signature(handler).parameters)
    found = hints.get(parameters[1]) if len(parameters) == 2 else None
    if not (isinstance(found, type) and issubclass(found, msgspec.Struct)):
        raise TypeError(f"{handler.__qualname__} must take (context: TaskContext, args: a Struct)")
    return cast("type[A]", found)
