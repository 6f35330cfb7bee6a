"""The shapes of ASGI as the edge handles them: plain mappings, whatever their kind."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

# Any: the protocol's mappings hold values of many types under each key.
Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Any, Any], Awaitable[None]]
"""Any: frameworks narrow the three in ways that no checker can reconcile."""
