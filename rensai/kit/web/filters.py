"""What a route lets itself be asked: the names of its parameters, and the words that each takes.

`before_request=known_filters` refuses a parameter that the route does not have. A filter that is
misspelt would otherwise be ignored, and the answer would be a list of everything.
"""

from enum import Enum
from functools import lru_cache
from inspect import isclass
from typing import Any, Literal, get_args, get_origin

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.params import QueryParameter

from rensai.kit.errors import InvalidFilter

Connection = ASGIConnection[Any, Any, Any, Any]  # Any: whoever asks


async def known_filters(request: Connection, handler: BaseRouteHandler | None = None) -> None:
    """Every parameter of the query must be one that the handler declares.

    It can be a guard too; but then Litestar copies the whole handler for each request.
    """
    del handler
    if request.scope["query_string"]:
        refuse_unknown(request, filters_of(request.route_handler))


def refuse_unknown(request: Connection, known: tuple[str, ...]) -> None:
    """Raise InvalidFilter when the query has a parameter with another name than these."""
    unknown = sorted(set(request.query_params) - set(known))
    if unknown:
        raise InvalidFilter(
            "There is no such filter here.",
            details=[
                {
                    "path": name[:100],
                    "in": "query",
                    "message": "Not a parameter of this list.",
                    "allowed": known,
                }
                for name in unknown[:10]
            ],
        )


@lru_cache(maxsize=512)
def filters_of(handler: BaseRouteHandler) -> tuple[str, ...]:
    """The names of a handler's query parameters, in order."""
    return tuple(
        sorted(
            _sent_as(name, field.kwarg_definition)
            for name, field in handler.parsed_fn_signature.parameters.items()
            if isinstance(field.kwarg_definition, QueryParameter)
        )
    )


def _sent_as(name: str, definition: object) -> str:
    """What clients call a parameter: a word of Python, such as `type`, is another name here."""
    named = definition.name if isinstance(definition, QueryParameter) else None
    return named or name


@lru_cache(maxsize=512)
def allowed_values(handler: BaseRouteHandler, name: str) -> tuple[object, ...] | None:
    """The few values that a parameter takes, or None when it takes any of a kind."""
    parameters = handler.parsed_fn_signature.parameters.items()
    fields = (one for own, one in parameters if name in {own, _sent_as(own, one.kwarg_definition)})
    field = next(fields, None)
    if field is None:
        return None
    for part in (field, *(field.inner_types or ())):
        kind = part.annotation
        if get_origin(kind) is Literal:
            return get_args(kind)
        if kind is bool:
            return (True, False)
        if isclass(kind) and issubclass(kind, Enum):
            return tuple(member.value for member in kind)
    return None
