"""Litestar without the parts that only others need."""

from litestar import Litestar
from litestar.plugins import PluginProtocol
from litestar.plugins.core import MsgspecDIPlugin
from litestar.routes import HTTPRoute
from litestar.types.internal_types import RouteHandlerMapItem

_MADE_BY_LITESTAR = "options_handler"


class LeanLitestar(Litestar):
    """Litestar for msgspec alone.

    It takes up pydantic and attrs wherever they are installed, as they are here for other
    packages' sake. That costs each process 10 MB, and each response a copy of 17 encoders.
    """

    @staticmethod
    def _get_default_plugins(plugins: list[PluginProtocol]) -> list[PluginProtocol]:
        return [*plugins, MsgspecDIPlugin()]

    @property
    def route_handler_method_map(self) -> dict[str, RouteHandlerMapItem]:
        """What a path is joined with when another of its methods is registered.

        Its answer to OPTIONS is left out: the one that Litestar made with the first handler would
        stay and name the methods of then. So it makes another that names them all.
        """
        return {
            path: {
                method: handler
                for method, handler in handlers.items()
                if not (
                    method == "OPTIONS"
                    and getattr(handler, "handler_name", None) == _MADE_BY_LITESTAR
                )
            }
            for path, handlers in super().route_handler_method_map.items()
        }


def provide_in_turn(application: Litestar) -> None:
    """Have dependencies that do not need each other provided one after another.

    Litestar starts a task for each of them, which costs a request a tenth of a millisecond; ours
    have nothing to wait for but one look at the database.
    """
    for route in application.routes:
        if isinstance(route, HTTPRoute):
            for _, model in route.route_handler_map.values():
                alone = [{one} for batch in model.dependency_batches for one in batch]
                model.dependency_batches = alone
