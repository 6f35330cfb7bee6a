"""The response headers that every answer carries, built once as bytes."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from rensai.kit.web.surfaces import Surface, is_credentialed, surface_of

API_VERSION = "1.0.0"
ALLOWED_HEADERS = "Content-Type, Authorization"
ALLOWED_METHODS = "GET, POST, PUT, PATCH, DELETE, OPTIONS"

Header = tuple[bytes, bytes]

_DATA_CSP = b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True, slots=True)
class Site:
    """What the headers depend on: where the site is, and where browsers fetch its images."""

    base_url: str
    images_url: str | None = None

    @property
    def origin(self) -> str:
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc}"


class StandingHeaders:
    """The headers for pages and for data, and the CORS rules of each surface."""

    def __init__(self, site: Site) -> None:
        common: list[Header] = [
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"strict-origin-when-cross-origin"),
            (b"x-frame-options", b"DENY"),
            (b"cross-origin-opener-policy", b"same-origin"),
        ]
        if site.origin.startswith("https:"):
            common.append((b"strict-transport-security", b"max-age=31536000"))
        self.data: tuple[Header, ...] = (*common, (b"content-security-policy", _DATA_CSP))
        self.page: tuple[Header, ...] = (
            *common,
            (b"content-security-policy", _page_csp(site)),
            (b"permissions-policy", _PERMISSIONS),
        )
        version = (b"x-api-version", API_VERSION.encode())
        exposed = (
            b"access-control-expose-headers",
            b"ETag, X-Api-Version, X-Request-Id, Retry-After",
        )
        self._open: tuple[Header, ...] = (version, exposed, (b"access-control-allow-origin", b"*"))
        self._own: tuple[Header, ...] = (
            version,
            exposed,
            (b"access-control-allow-origin", site.origin.encode()),
            (b"access-control-allow-credentials", b"true"),
            (b"vary", b"Origin"),
        )

    def for_path(self, path: str) -> tuple[Header, ...]:
        """What the surface of this path adds: API version and CORS, or nothing for pages."""
        if surface_of(path) is Surface.SITE:
            return ()
        return self._own if is_credentialed(path) else self._open

    def preflight(self, path: str) -> list[Header]:
        """The answer to a browser that asks before it calls."""
        return [
            *self.for_path(path),
            (b"access-control-allow-methods", ALLOWED_METHODS.encode()),
            (b"access-control-allow-headers", ALLOWED_HEADERS.encode()),
            (b"access-control-max-age", b"86400"),
        ]


_PERMISSIONS = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer",
        "browsing-topics",
        "camera",
        "display-capture",
        "geolocation",
        "gyroscope",
        "magnetometer",
        "microphone",
        "midi",
        "payment",
        "usb",
    )
).encode()


def _page_csp(site: Site) -> bytes:
    """Nothing inline and nothing from elsewhere, save images from the site's own store."""
    images = "'self' data:"
    if site.images_url:
        parts = urlsplit(site.images_url)
        images += f" {parts.scheme}://{parts.netloc}"
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
        f"img-src {images}; connect-src 'self'; manifest-src 'self'; worker-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ).encode()
