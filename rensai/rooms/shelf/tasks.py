"""What the room does by itself."""

from datetime import timedelta

import msgspec

from rensai.kit.events import About
from rensai.kit.tasks import TaskContext, enqueue, task
from rensai.rooms.shelf.service.forgetting import forget_reading
from rensai.rooms.shelf.service.history import forget_when

AGAIN_AFTER = timedelta(minutes=2)
"""Longer than any process holds what it has accepted: `PROGRESS_FLUSH_SECONDS` is 60 at most."""


class ForgetWhen(msgspec.Struct, frozen=True):
    """Nothing to say: it is always all of it."""


@task(
    name="shelf.forget_when",
    schedule="41 3 * * *",
    dedupe=lambda _: "",
    timeout=timedelta(hours=1),
)
async def forget_when_read(context: TaskContext, args: ForgetWhen) -> None:
    """Every night, forget when chapters were read longer ago than `HISTORY_DAYS`."""
    del args
    kept = timedelta(days=context.config.history_days)
    await forget_when(context.db, context.clock.now() - kept)


@task(name="shelf.forget_reader", timeout=timedelta(hours=1))
async def forget_reader(context: TaskContext, args: About) -> None:
    """Erase what accounts that are gone have read and kept."""
    await forget_reading(context.db, context.clock, args.ids)
    async with context.db.transaction() as tx:
        await enqueue(tx, forget_reader_again, args, delay=AGAIN_AFTER)


@task(name="shelf.forget_reader_again", timeout=timedelta(hours=1))
async def forget_reader_again(context: TaskContext, args: About) -> None:
    """What such an account had sent last may have been written after the first time."""
    await forget_reading(context.db, context.clock, args.ids)
