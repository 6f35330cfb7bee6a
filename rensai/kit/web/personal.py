"""Answers that are one visitor's: nobody between him and us may keep them, nor do we."""

from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

from litestar import Response

from rensai.kit.web.kept import TooOld

T = TypeVar("T")


def personal(content: T, *, status: int | None = None) -> Response[T]:
    """The answer for whoever asks now, and for nobody else."""
    return Response(content, status_code=status, headers={"Cache-Control": "private, no-store"})


async def personally(load: Callable[[], Awaitable["T | TooOld[T]"]]) -> Response[T]:
    """What `KeptVersion.answer` would answer, made for this visitor alone."""
    made = await load()
    return personal(cast("TooOld[T]", made).content if isinstance(made, TooOld) else made)
