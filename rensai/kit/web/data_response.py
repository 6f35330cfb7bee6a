"""What a handler returns, made into JSON on the shortest way.

Litestar's response serves every purpose, with copies of headers, cookies and encoders; a
handler that simply returns data needs none of that, and such handlers are most of the site.
Whatever is out of the ordinary goes Litestar's way.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

import msgspec
from litestar import Litestar, MediaType, Request, Response
from litestar.background_tasks import BackgroundTask, BackgroundTasks
from litestar.datastructures import Cookie
from litestar.response.base import ASGIResponse
from litestar.serialization import default_serializer

from rensai.kit.web.asgi import Receive, Scope, Send

Encoders = Mapping[Any, Callable[[Any], Any]]  # Any: as Litestar has it

_JSON = (b"content-type", b"application/json")
encode_json = msgspec.json.Encoder(enc_hook=default_serializer).encode
"""What a handler returns, as the bytes that are sent."""


class _Whole:
    """A whole body of JSON, ready to be sent."""

    __slots__ = ("_body", "_status")

    def __init__(self, status: int, body: bytes) -> None:
        self._status = status
        self._body = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        body = self._body
        headers = [_JSON, (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": self._status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})


class DataResponse(Response[Any]):  # Any: whatever handlers return
    """The response class of handlers that return plain data."""

    def to_asgi_response(
        self,
        app: Litestar | None,
        request: Request[Any, Any, Any],
        *,
        background: BackgroundTask | BackgroundTasks | None = None,
        cookies: Iterable[Cookie] | None = None,
        encoded_headers: Iterable[tuple[bytes, bytes]] | None = None,
        headers: dict[str, str] | None = None,
        is_head_response: bool = False,
        media_type: MediaType | str | None = None,
        status_code: int | None = None,
        type_encoders: Encoders | None = None,
    ) -> ASGIResponse:
        """As Litestar's own, which is asked for all that is not simply JSON."""
        status = self.status_code or status_code or 200
        out_of_the_ordinary = (
            self.background or background or self.cookies or cookies or self.headers or headers
        )
        encoders = self.response_type_encoders or type_encoders
        if (
            out_of_the_ordinary
            or encoders
            or is_head_response
            or (self.media_type or media_type) != MediaType.JSON
            or status in {204, 304}
            or isinstance(self.content, (bytes, str))
        ):
            return super().to_asgi_response(  # pyright: ignore[reportUnknownMemberType] - its own
                app,
                request,
                background=background,
                cookies=cookies,
                encoded_headers=encoded_headers,
                headers=headers,
                is_head_response=is_head_response,
                media_type=media_type,
                status_code=status_code,
                type_encoders=type_encoders,
            )
        # Litestar only ever calls what it gets here, with the three arguments of ASGI.
        return cast("ASGIResponse", _Whole(status, encode_json(self.content)))
