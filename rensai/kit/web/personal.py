"""Answers that are one visitor's: nobody between him and us may keep them, nor do we."""

from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

from litestar import Response

from rensai.kit.web.data_response import encode_json
from rensai.kit.web.headers import Header
from rensai.kit.web.kept import TooOld
from rensai.kit.web.ready import JSON, Ready

T = TypeVar("T")

_PRIVATE: Header = (b"cache-control", b"private, no-store")


def personal(content: T, *, status: int = 200) -> Response[T]:
    """The answer for whoever asks now, and for nobody else."""
    body = encode_json(content)
    length = (b"content-length", str(len(body)).encode())
    return Ready(status, [JSON, length, _PRIVATE], body)


async def personally(load: Callable[[], Awaitable["T | TooOld[T]"]]) -> Response[T]:
    """What `KeptVersion.answer` would answer, made for this visitor alone."""
    made = await load()
    return personal(cast("TooOld[T]", made).content if isinstance(made, TooOld) else made)
