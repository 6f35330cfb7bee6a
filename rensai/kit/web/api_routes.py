"""Where the API describes itself: for programs, and on a page for people."""

import hashlib
from collections.abc import Callable
from functools import cached_property
from typing import Any

import msgspec
from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.types import ControllerRouterHandler

from rensai.kit.web.docs_page import facts
from rensai.kit.web.openapi_polish import Json
from rensai.kit.web.render import render_text

_MINUTES = "public, max-age=300"


class ApiDescription:
    """The document and its page, each made when it is first asked for."""

    def __init__(self, describe: Callable[[], Json]) -> None:
        self._describe = describe

    @cached_property
    def document(self) -> Json:
        return self._describe()

    @cached_property
    def as_json(self) -> bytes:
        return msgspec.json.format(msgspec.json.encode(self.document), indent=2) + b"\n"

    @cached_property
    def as_page(self) -> bytes:
        return render_text("docs.html", "/api/v1/docs", facts=facts(self.document)).encode()


@get("/api/v1/openapi.json", include_in_schema=False, sync_to_thread=True)
def openapi_json(
    request: Request[Any, Any, Any], description: NamedDependency[ApiDescription]
) -> Response[bytes]:
    """The description of this API."""
    return _kept(request, description.as_json, "application/json")


@get("/api/v1/docs", include_in_schema=False, sync_to_thread=True)
def docs_page(
    request: Request[Any, Any, Any], description: NamedDependency[ApiDescription]
) -> Response[bytes]:
    """The same for people."""
    return _kept(request, description.as_page, "text/html")


def _kept(request: Request[Any, Any, Any], body: bytes, media_type: str) -> Response[bytes]:
    """A body that rarely changes: callers may keep it, and ask whether theirs is still good."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    headers = {"ETag": etag, "Cache-Control": _MINUTES}
    if etag in request.headers.get("if-none-match", ""):
        return Response(b"", status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=media_type)


routes: list[ControllerRouterHandler] = [openapi_json, docs_page]
