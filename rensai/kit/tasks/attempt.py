"""One attempt at a task: read its arguments, call its handler, say how that ended."""

import asyncio
from typing import TYPE_CHECKING, cast

import msgspec

from rensai.kit.tasks.declare import PermanentFailure, TaskContext
from rensai.kit.tasks.endings import Ending, Run, Succeeded, buried, failed

if TYPE_CHECKING:
    from rensai.kit.services import Services

_SUCCEEDED = Succeeded()


async def attempt(services: "Services", run: Run) -> Ending:
    """Whatever happens in the task, this returns; only `Run.withdraw` may cut it short."""
    try:
        args = run.task.decode(run.payload)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return buried(run, error, f"its arguments cannot be read: {error}")
    context = TaskContext(services, run.id, run.attempts + 1)
    limit = asyncio.timeout(run.task.timeout.total_seconds())
    try:
        async with limit:
            await run.task.call(context, args)
    except asyncio.CancelledError as error:
        if run.withdrawn is not None:
            return run.withdrawn
        return failed(run, error, "it was cancelled from within")
    except TimeoutError as error:
        too_long = f"it took longer than {run.task.timeout}" if limit.expired() else None
        return failed(run, error, too_long)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a task may fail in any way
        permanent = _permanent(error)
        return failed(run, error) if permanent is None else buried(run, error, str(permanent))
    return _SUCCEEDED


def _permanent(error: BaseException) -> PermanentFailure | None:
    """The permanent failure in this error; a task group wraps what its children raise."""
    if isinstance(error, PermanentFailure):
        return error
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        for inner in group.exceptions:
            if (found := _permanent(inner)) is not None:
                return found
    return None
