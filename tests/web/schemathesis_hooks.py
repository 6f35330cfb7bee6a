"""Each request comes from an address of its own, or rate limits would hide every other answer."""

import itertools
from collections.abc import Callable
from typing import Any, cast

import schemathesis

Hook = Callable[..., None]

# Their types leave open what a hook is.
_hook = cast("Callable[[Hook], Hook]", schemathesis.hook)  # pyright: ignore[reportUnknownMemberType]
_numbers = itertools.count(1)


@_hook
def before_call(context: object, case: Any, kwargs: dict[str, Any]) -> None:  # Any: theirs
    """Called before each request."""
    del context, kwargs
    number = next(_numbers)
    address = f"198.18.{number >> 8 & 255}.{number & 255}"
    case.headers = {**(case.headers or {}), "X-Forwarded-For": address}
