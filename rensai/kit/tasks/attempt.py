"""One attempt at a task: read its arguments, call its handler, say how that ended."""

import asyncio
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
import msgspec

from rensai.kit.tasks.declare import PermanentFailure, TaskContext
from rensai.kit.tasks.endings import Ending, Run, Succeeded, buried, failed

if TYPE_CHECKING:
    from rensai.kit.services import Services

_SUCCEEDED = Succeeded()


class Attempts:
    """Makes attempts; plain functions go to threads, so that the event loop is never blocked."""

    def __init__(self, services: "Services", threads: int) -> None:
        self._services = services
        self._threads = anyio.CapacityLimiter(threads)

    async def make(self, run: Run) -> Ending:
        """Whatever happens in the handler, this returns; only `withdraw` may cut it short."""
        try:
            args = run.task.decode(run.payload)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            return buried(run, error, f"its arguments cannot be read: {error}")
        context = TaskContext(self._services, run.id, run.attempts + 1)
        try:
            async with asyncio.timeout(run.task.timeout.total_seconds()) as limit:
                await self._call(run, context, args)
        except asyncio.CancelledError as error:
            return run.withdrawn or failed(run, error, "it was cancelled from within")
        except TimeoutError as error:
            too_long = f"it took longer than {run.task.timeout}" if limit.expired() else None
            return failed(run, error, too_long)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a task may fail in any way
            permanent = _permanent(error)
            return failed(run, error) if permanent is None else buried(run, error, str(permanent))
        return _SUCCEEDED

    async def _call(self, run: Run, context: TaskContext, args: msgspec.Struct) -> None:
        if run.task.threaded:
            await anyio.to_thread.run_sync(
                run.task.handler, context, args, abandon_on_cancel=True, limiter=self._threads
            )
        else:
            await run.task.handler(context, args)


def _permanent(error: BaseException) -> PermanentFailure | None:
    """The permanent failure in this error; a task group wraps what its children raise."""
    if isinstance(error, PermanentFailure):
        return error
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            if (found := _permanent(inner)) is not None:
                return found
    return None
