"""Answers that are one visitor's: nobody between him and us may keep them, nor do we."""

from typing import TypeVar

from litestar import Response

T = TypeVar("T")


def personal(content: T, *, status: int | None = None) -> Response[T]:
    """The answer for whoever asks now, and for nobody else."""
    return Response(content, status_code=status, headers={"Cache-Control": "private, no-store"})
