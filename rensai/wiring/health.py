"""Is this process alive, can it serve, and how is it doing."""

from litestar import get
from litestar.types import ControllerRouterHandler


@get("/healthz", include_in_schema=False, sync_to_thread=False)
def healthz() -> dict[str, str]:
    """Alive: answers as long as the process can answer at all."""
    return {"status": "ok"}


routes: list[ControllerRouterHandler] = [healthz]
