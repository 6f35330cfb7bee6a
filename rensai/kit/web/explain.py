"""Errors made into responses: the envelope of the surface, or a page for a browser."""

from html import escape
from typing import Any, cast

from litestar import Request, Response

from rensai.kit.errors import RensaiError
from rensai.kit.log import get_logger
from rensai.kit.web.asgi import Scope
from rensai.kit.web.envelopes import Answer, as_json, headers_of
from rensai.kit.web.errors import in_our_words
from rensai.kit.web.render import render_text
from rensai.kit.web.request_id import current
from rensai.kit.web.surfaces import wants_page

_LOG = get_logger("rensai.web")

_ADVICE = {
    400: "Check the address for typing errors, or go back and try again.",
    401: "This page is for people who have signed in.",
    403: "You may be signed in with another account than this page is meant for.",
    404: "The address may be mistyped, or what was here has moved.",
    405: "Go back and use the links and buttons of the site.",
    410: "It was removed, and will not come back under this address.",
    413: "Send something smaller.",
    429: "You have been quick. Wait a little and try again.",
    503: "It is usually a matter of moments. Try again soon.",
}
_OUR_FAULT = "It is not your fault. If it stays so, tell the people who run this site."


def explain(error: RensaiError, path: str, accept: str, request_id: str) -> Answer:
    """The whole answer for this error, in the form that the caller of this path can use."""
    if not wants_page(path, accept):
        return as_json(error, path, request_id)
    advice = _ADVICE.get(error.status, _OUR_FAULT if error.status >= 500 else _ADVICE[400])
    try:
        page = render_text(
            "error.html",
            path,
            status=error.status,
            message=error.message,
            advice=advice,
            request_id=request_id,
        )
    except Exception:  # noqa: BLE001 - a broken template must not hide the error itself
        _LOG.exception("the error page cannot be rendered")
        page = _plain_page(error, request_id)
    return Answer(error.status, headers_of(error), page.encode(), "text/html")


def _plain_page(error: RensaiError, request_id: str) -> str:
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8">'
        f"<title>{escape(error.message)}</title><h1>{escape(error.message)}</h1>"
        f'<p>Request {escape(request_id)}</p><p><a href="/">Go to the first page</a></p></html>\n'
    )


def handle_exception(request: Request[Any, Any, Any], problem: Exception) -> Response[bytes]:
    """Litestar's exception handler for everything; what nobody foresaw is logged in full."""
    scope = cast("Scope", request.scope)
    error = in_our_words(problem, scope.get("route_handler"))
    if error.status >= 500:
        _LOG.error(
            "request failed",
            code=error.code,
            private=error.private,
            exc_info=problem if error is not problem or error.status == 500 else None,
        )
    elif error.private:
        _LOG.debug("request refused", code=error.code, private=error.private)
    answer = explain(error, request.scope["path"], request.headers.get("accept", ""), current())
    return Response(
        answer.body,
        status_code=answer.status,
        headers=answer.headers,
        media_type=answer.media_type,
    )
