"""Bodies that arrive too slowly: a few bytes a minute must not hold a connection for hours."""

import asyncio
from time import monotonic

from rensai.kit.web.asgi import Message, Receive
from rensai.kit.web.errors import BadRequest, RequestTimeout

GRACE_SECONDS = 20.0
SLOWEST_BYTES_PER_SECOND = 8 * 1024


class PatientReceive:
    """A `receive` that waits for a body as long as it keeps arriving at a fair pace."""

    __slots__ = ("_began", "_receive", "_received", "_whole")

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._began = monotonic()
        self._received = 0
        self._whole = False

    async def __call__(self) -> Message:
        if self._whole:
            return await self._receive()
        message = await self._next()
        if message["type"] == "http.disconnect":
            raise BadRequest("The connection closed before the whole request had arrived.")
        if message["type"] == "http.request":
            self._received += len(message["body"])
            self._whole = not message.get("more_body", False)
        return message

    async def _next(self) -> Message:
        allowed = GRACE_SECONDS + self._received / SLOWEST_BYTES_PER_SECOND
        try:
            async with asyncio.timeout(self._began + allowed - monotonic()):
                return await self._receive()
        except TimeoutError as problem:
            raise RequestTimeout(headers={"Connection": "close"}) from problem
