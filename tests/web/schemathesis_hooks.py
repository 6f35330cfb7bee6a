"""What is sent beyond what the description says.

Each request comes from an address of its own, or rate limits would hide every other answer. And a
whole number is written without a point: 1.0 is an integer to JSON Schema, and none to us.
"""

import itertools
from collections.abc import Callable
from typing import Any, cast

import schemathesis

Hook = Callable[..., None]

# Their types leave open what a hook is.
_hook = cast("Callable[[Hook], Hook]", schemathesis.hook)  # pyright: ignore[reportUnknownMemberType]
_numbers = itertools.count(1)

# Whatever bytes come to mind may call themselves an archive.
schemathesis.serializer.alias("application/zip", "application/octet-stream")


@_hook
def before_call(context: object, case: Any, kwargs: dict[str, Any]) -> None:  # Any: theirs
    """Called before each request."""
    del context, kwargs
    number = next(_numbers)
    address = f"198.18.{number >> 8 & 255}.{number & 255}"
    case.headers = {**(case.headers or {}), "X-Forwarded-For": address}


@_hook
def map_body(context: object, body: Any) -> Any:  # Any: JSON
    """Called for each body that is made."""
    del context
    return _without_idle_points(body)


def _without_idle_points(value: Any) -> Any:  # Any: JSON
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, list):
        return [_without_idle_points(one) for one in cast("list[Any]", value)]
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {name: _without_idle_points(one) for name, one in members.items()}
    return value
