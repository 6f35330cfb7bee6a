"""Files that pages link to: served from memory, under an address that names their content.

The address carries one digest of all assets together, so that a stylesheet may name a font
beside it, and a browser may keep what it has for ever: what changes gets another address. A
page that was made before an upgrade still finds its files under the old one.
"""

import gzip
import hashlib
import mimetypes
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from litestar import Request, Response, get
from litestar.datastructures import State
from litestar.params import FromPath

from rensai.kit.errors import NotFound

FOLDER = Path(__file__).parents[2] / "assets"

_FOREVER = "public, max-age=31536000, immutable"
_A_WHILE = "public, max-age=60"
_TEXTUAL = ("text/", "application/javascript", "application/json", "image/svg+xml")

_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))")


@dataclass(frozen=True, slots=True)
class Asset:
    """One file with all that its responses need."""

    body: bytes
    packed: bytes | None
    media_type: str
    etag: str


@dataclass(frozen=True, slots=True)
class Assets:
    """All files of the folder, and the digest that stands in their addresses."""

    digest: str
    files: dict[str, Asset]

    @classmethod
    def read(cls, folder: Path) -> "Assets":
        files: dict[str, Asset] = {}
        whole = hashlib.sha256()
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.name.startswith("."):
                name = path.relative_to(folder).as_posix()
                body = path.read_bytes()
                files[name] = _asset(name, body)
                whole.update(name.encode() + b"\0" + files[name].etag.encode())
        return cls(whole.hexdigest()[:16], files)


@lru_cache(maxsize=1)
def all_assets() -> Assets:
    """The assets of this installation, read once."""
    return Assets.read(FOLDER)


def address(name: str) -> str:
    """Where the asset of this name is served; a name that does not exist is a mistake."""
    known = all_assets()
    if name not in known.files:
        raise LookupError(f"there is no asset named {name}")
    return f"/static/{known.digest}/{name}"


@get("/static/{digest:str}/{name:path}", include_in_schema=False, sync_to_thread=False)
def serve_asset(
    request: Request[None, None, State], digest: FromPath[str], name: FromPath[str]
) -> Response[bytes]:
    """The file, or word that the caller's copy is still good."""
    known = all_assets()
    asset = known.files.get(name.lstrip("/"))
    if asset is None:
        raise NotFound
    headers = {
        "ETag": asset.etag,
        "Cache-Control": _FOREVER if digest == known.digest else _A_WHILE,
        "Vary": "Accept-Encoding",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    if asset.etag in request.headers.get("if-none-match", ""):
        return Response(b"", status_code=304, headers=headers)
    if asset.packed is not None and _GZIP.search(request.headers.get("accept-encoding", "")):
        headers["Content-Encoding"] = "gzip"
        return Response(asset.packed, headers=headers, media_type=asset.media_type)
    return Response(asset.body, headers=headers, media_type=asset.media_type)


def _asset(name: str, body: bytes) -> Asset:
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    textual = kind.startswith(_TEXTUAL)
    packed = gzip.compress(body, mtime=0) if textual and len(body) > 1024 else None
    if packed is not None and len(packed) >= len(body):
        packed = None
    if textual and not kind.startswith(("text/", "image/")):  # Litestar adds it to text/*
        kind += "; charset=utf-8"
    return Asset(body, packed, kind, f'"{hashlib.sha256(body).hexdigest()[:16]}"')
