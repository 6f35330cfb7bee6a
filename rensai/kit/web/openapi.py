"""The description of the public API, made from the handlers themselves.

Litestar derives paths, parameters and schemas from the handlers' types. What it cannot know is
added here: our error envelopes, who may call, and names that read well. A handler says the rest
in its decorator: `security=SIGNED_IN`, and `opt={"errors": (SeriesNotFound,)}` for errors
beyond those that follow from its parameters.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from litestar.di import Provide
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.spec import Components, SecurityScheme, Server
from litestar.types import ControllerRouterHandler, Method

from rensai.kit import errors
from rensai.kit.web.errors import AddressTooLong, BadRequest, UnsupportedMediaType
from rensai.kit.web.filters import filters_of
from rensai.kit.web.headers import API_VERSION
from rensai.kit.web.lean import LeanLitestar
from rensai.kit.web.openapi_polish import Json, polish
from rensai.kit.web.surfaces import Surface, surface_of

SIGNED_IN: list[dict[str, list[str]]] = [{"session": []}, {"bearer": []}]
"""The `security` of a route that wants to know who is calling: a cookie, or a token.

What an API token needs for it stands in `opt={"scope": "library:read"}`. On the novel API cookies
do not count."""

_PROSE = """
Lists are paged: `items`, and `nextCursor` to ask for what follows while `hasMore` is true. A
cursor is good for the list, sort and filters that it came from.

Most answers carry an ETag: send it back as `If-None-Match`, and an empty 304 says that what you
have is still good.

Times are ISO-8601 in UTC. Unknown fields in a body, and in most lists unknown parameters, are
refused. A body may be packed with gzip.

Errors are `{"error": sentence, "code": word, "details": more}`, and under `/wp-json/novel/v1`
`{"error": {"code": word, "message": sentence, "details": more}}`: go by the code. Every response
carries `X-Request-Id`, which helps to find out what happened. Too many requests are answered
with 429, and `Retry-After` says how many seconds to wait.
""".strip()


def describe(
    routes: Sequence[ControllerRouterHandler], dependencies: Iterable[str], base_url: str
) -> Json:
    """The OpenAPI 3.1 document of those routes that are public API."""
    handlers = [
        route
        for route in routes
        if isinstance(route, HTTPRouteHandler)
        and route.include_in_schema is not False
        and any(surface_of(path) is not Surface.SITE for path in route.paths)
    ]
    config = OpenAPIConfig(
        title="Rensai",
        version=API_VERSION,
        description=_PROSE,
        servers=[Server(url=base_url)],
        use_handler_docstrings=True,
        operation_id_creator=_operation_id,
        components=Components(
            security_schemes={
                "session": SecurityScheme(
                    type="apiKey",
                    security_scheme_in="cookie",
                    name="rensai_session",
                    description="The cookie that signing in sets.",
                ),
                "bearer": SecurityScheme(
                    type="http",
                    scheme="bearer",
                    description="An access token of an app, from `/wp-json/novel/v1/auth/login`, "
                    "or an API token with the scope that the route names.",
                ),
            }
        ),
    )
    app = LeanLitestar(
        route_handlers=handlers,
        # Only their names matter to a description; Litestar wants a function of its own for each.
        dependencies={name: Provide(lambda: None, sync_to_thread=False) for name in dependencies},
        openapi_config=config,
        logging_config=None,
    )
    document = app.openapi_schema.to_schema()
    return polish(document, _errors_by_operation(handlers), _scopes(handlers))


def _operation_id(
    handler: HTTPRouteHandler, method: Method, path: list[str | Any]
) -> str:  # Any: Litestar's own parameter parts
    """The handler's name in camel case; the novel API's are told apart by a prefix."""
    del method
    words = handler.handler_name.split("_")
    if path and path[0] == "wp-json":
        words = ["novel", *words]
    return words[0] + "".join(word.title() for word in words[1:])


def _errors_by_operation(
    handlers: Sequence[HTTPRouteHandler],
) -> Mapping[tuple[str, str], list[type[errors.RensaiError]]]:
    """What each operation may answer when it does not answer well, by path and method."""
    return {
        (_openapi_path(path), method.lower()): _errors_of(handler)
        for handler in handlers
        for path in handler.paths
        for method in handler.http_methods
    }


def _scopes(handlers: Sequence[HTTPRouteHandler]) -> Mapping[tuple[str, str], str | None]:
    """What an API token must be allowed for each operation that needs an account."""
    return {
        (_openapi_path(path), method.lower()): cast("str | None", handler.opt.get("scope"))
        for handler in handlers
        if handler.security
        for path in handler.paths
        for method in handler.http_methods
    }


def _openapi_path(path: str) -> str:
    return "/".join(
        "{" + part[1:-1].partition(":")[0] + "}" if part.startswith("{") else part
        for part in path.split("/")
    )


def _errors_of(handler: HTTPRouteHandler) -> list[type[errors.RensaiError]]:
    found: list[type[errors.RensaiError]] = [BadRequest, AddressTooLong, errors.RateLimited]
    has_body = "data" in handler.parsed_fn_signature.parameters
    if any("{" in path for path in handler.paths):
        found.append(errors.NotFound)
    if has_body:
        found += [errors.TooLarge, UnsupportedMediaType]
        found.append(errors.Invalid)
    filters = filters_of(handler)
    if filters:
        found.append(errors.InvalidFilter)
    if "cursor" in filters:
        found.append(errors.InvalidCursor)
    if handler.security:
        found += [errors.AuthRequired, errors.Forbidden]
    declared = cast("Sequence[type[errors.RensaiError]]", handler.opt.get("errors", ()))
    return [*found, *declared, errors.Unavailable]
