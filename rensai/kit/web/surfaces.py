"""Which part of the site a path belongs to: it decides the envelope and the CORS rules."""

from enum import Enum


class Surface(Enum):
    """Each surface has its own contract with its clients."""

    NOVEL = "novel"
    API = "api"
    SITE = "site"


def surface_of(path: str) -> Surface:
    """The surface that answers for this path, whether or not a route exists there."""
    if path.startswith("/api/") or path == "/api":
        return Surface.API
    if path.startswith("/wp-json/") or path == "/wp-json":
        return Surface.NOVEL
    return Surface.SITE


def is_credentialed(path: str) -> bool:
    """Whether this path signs people in, so that only our own origin may call it."""
    return path.startswith("/api/v1/auth/") or path == "/api/v1/auth"


def wants_page(path: str, accept: str) -> bool:
    """Whether an error should be a page: a browser asks, and not of an API."""
    return "text/html" in accept and surface_of(path) is Surface.SITE
