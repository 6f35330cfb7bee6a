"""An error as each surface's clients expect to see it."""

from typing import NamedTuple

import msgspec

from rensai.kit.errors import RensaiError
from rensai.kit.web.surfaces import Surface, surface_of


class Answer(NamedTuple):
    """A whole small response, before any framework has seen it."""

    status: int
    headers: dict[str, str]
    body: bytes
    media_type: str


def as_json(error: RensaiError, path: str, request_id: str) -> Answer:
    """The error in the envelope of the API that this path belongs to."""
    details: object = error.details
    if surface_of(path) is Surface.NOVEL:
        if details is None and error.status >= 500:
            details = {"request_id": request_id}
        told: dict[str, object] = {"code": error.novel_code, "message": error.message}
        content: dict[str, object] = {"error": told}
        status = error.novel_status or error.status
    else:
        if details is None and error.status >= 500:
            details = {"requestId": request_id}
        content = told = {"error": error.message, "code": error.code}
        status = error.status
    if details is not None:
        told["details"] = details
    body = msgspec.json.encode(content, enc_hook=str)
    return Answer(status, headers_of(error), body, "application/json")


def headers_of(error: RensaiError) -> dict[str, str]:
    """The headers of an error: what is not there now may be there in a moment."""
    return {"Cache-Control": "no-store", **error.headers}
