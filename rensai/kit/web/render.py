"""Pages: one Jinja environment over every room's templates."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
from litestar import Request, Response
from markupsafe import Markup, escape

from rensai.kit.web import assets

_CODE = re.compile(r"`([^`]+)`")
_HERE = Path(__file__).parent
_ROOMS = _HERE.parents[1] / "rooms"


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Every template: `room/page.html` from that room, plain names from this package.

    `static("name")` in a template is the address of an asset, and `_("text")` a text that may
    be translated.
    """
    rooms = {
        folder.parent.name: FileSystemLoader(folder)
        for folder in sorted(_ROOMS.glob("*/templates"))
    }
    environment = Environment(
        loader=ChoiceLoader([PrefixLoader(rooms), FileSystemLoader(_HERE / "templates")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        extensions=["jinja2.ext.i18n"],
    )
    # Texts are English until there are translations; templates mark them with _() already.
    i18n = cast("Any", environment)  # Any: the extension adds its methods at run time
    i18n.install_null_translations(newstyle=True)
    env_globals: dict[str, Any] = cast("dict[str, Any]", environment.globals)
    env_globals["static"] = assets.address
    cast("dict[str, Any]", environment.filters)["code"] = marked_code
    return environment


def marked_code(text: str) -> Markup:
    """The text with its `backticked` words as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped first


def render_text(template: str, path: str, **context: Any) -> str:  # Any: a template takes anything
    """The page as text, for the reader at `path`."""
    return environment().get_template(template).render(path=path, **context)


def render(
    request: Request[Any, Any, Any], template: str, /, *, status: int = 200, **context: Any
) -> Response[str]:
    """The page as a response. Templates also see `path`, the path of the request.

    No cache between here and the browser may keep it: its frame says who has signed in.
    """
    return Response(
        render_text(template, request.scope["path"], **context),
        status_code=status,
        headers={"Cache-Control": "private, no-cache"},
        media_type="text/html",
    )
