"""What the application holds for its edges, taken without the price of a dependency.

Litestar resolves dependencies that do not need one another in a task group, which costs a kept
answer more than everything else. A handler of such answers asks for few by name, and takes what is
the same for every request from here.
"""

from typing import Any, TypeVar

from litestar.connection import ASGIConnection

T = TypeVar("T")

Connection = ASGIConnection[Any, Any, Any, Any]  # Any: whoever asks


def held(connection: Connection, kind: type[T]) -> T:
    """The one thing of this kind that `wiring` has put into the application's state."""
    found = connection.app.state[kind.__name__]
    assert isinstance(found, kind)  # noqa: S101 - wiring has put it there
    return found
