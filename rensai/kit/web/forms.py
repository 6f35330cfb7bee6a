"""Forms that only our own pages can send.

Three checks, since each has its gaps: cookies are SameSite=Lax, the browser says where the form
came from, and the form carries a token made from a cookie that other sites cannot read.
"""

import hmac
from collections.abc import Mapping
from urllib.parse import urlsplit

from rensai.kit.errors import Forbidden


class ForeignForm(Forbidden):
    """This form did not come from this site."""

    code = "FOREIGN_FORM"


class StaleForm(Forbidden):
    """This form is out of date; send it once more."""

    code = "STALE_FORM"


def form_token(secret: str, seed: str) -> str:
    """The token for a form that is shown to whoever holds the cookie `seed`."""
    key = hmac.digest(secret.encode(), b"rensai form v1", "sha256")
    return hmac.digest(key, seed.encode("utf-8", "surrogatepass"), "sha256").hex()


def require_token(secret: str, seed: str, token: str) -> None:
    """Refuse a form whose token was not made for this cookie."""
    expected = form_token(secret, seed)
    if not seed or not hmac.compare_digest(expected, token.encode("ascii", "replace").decode()):
        raise StaleForm


def require_own_page(headers: Mapping[str, str], base_url: str) -> None:
    """Refuse what another site's page sends. Clients that are no browser send neither header."""
    fetched_from = headers.get("sec-fetch-site")
    if fetched_from is not None and fetched_from not in {"same-origin", "none"}:
        raise ForeignForm(private=f"Sec-Fetch-Site: {fetched_from[:40]}")
    origin = headers.get("origin")
    if origin is not None and not _is_ours(origin, headers.get("host", ""), base_url):
        raise ForeignForm(private=f"Origin: {origin[:200]}")


def own_path(path: str) -> str:
    """Where a form leads afterwards: a path on this site; what could lead elsewhere leads home."""
    inside = path.startswith("/") and not path.startswith(("//", "/\\"))
    return path if inside and path.isprintable() and "\\" not in path else "/"


def _is_ours(origin: str, host: str, base_url: str) -> bool:
    """The site's own address, or the one that this very request was sent to."""
    try:
        parts, own = urlsplit(origin), urlsplit(base_url)
    except ValueError:
        return False
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        return False
    return (parts.scheme, parts.netloc) == (own.scheme, own.netloc) or parts.netloc == host
