"""A response whose bytes are there already."""

from typing import Any, cast

from litestar import Response
from litestar.response.base import ASGIResponse

from rensai.kit.web.asgi import Receive, Scope, Send
from rensai.kit.web.headers import Header

JSON: Header = (b"content-type", b"application/json")


class Ready(Response[Any]):  # Any: what the bytes spell out is in the handler's annotation
    """A whole answer in bytes, which Litestar passes on without looking at it."""

    def __init__(self, status: int, headers: list[Header], body: bytes) -> None:
        # Litestar's own constructor prepares for everything that a response could have.
        self._status = status
        self._headers = headers
        self._body = body

    def to_asgi_response(self, *args: Any, **kwargs: Any) -> ASGIResponse:  # as Litestar's
        del args, kwargs
        # Litestar only ever calls what it gets here, with the three arguments of ASGI.
        return cast("ASGIResponse", self._send)

    async def _send(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        start = {"status": self._status, "headers": self._headers}
        await send({"type": "http.response.start", **start})
        await send({"type": "http.response.body", "body": self._body, "more_body": False})
