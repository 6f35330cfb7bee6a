"""Litestar without the parts that only others need."""

from litestar import Litestar
from litestar.plugins import PluginProtocol
from litestar.plugins.core import MsgspecDIPlugin


class LeanLitestar(Litestar):
    """Litestar for msgspec alone.

    It takes up pydantic and attrs wherever they are installed, as they are here for other
    packages' sake. That costs each process 10 MB, and each response a copy of 17 encoders.
    """

    @staticmethod
    def _get_default_plugins(plugins: list[PluginProtocol]) -> list[PluginProtocol]:
        return [*plugins, MsgspecDIPlugin()]
