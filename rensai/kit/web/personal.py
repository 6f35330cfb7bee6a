"""Answers that are one visitor's: nobody between him and us may keep them, nor do we."""

from typing import TypeVar

from litestar import Response

from rensai.kit.web.data_response import encode_json
from rensai.kit.web.headers import Header
from rensai.kit.web.ready import JSON, Ready

T = TypeVar("T")

_PRIVATE: Header = (b"cache-control", b"private, no-store")


def personal(content: T, *, status: int = 200) -> Response[T]:
    """The answer for whoever asks now, and for nobody else."""
    body = encode_json(content)
    length = (b"content-length", str(len(body)).encode())
    return Ready(status, [JSON, length, _PRIVATE], body)
