"""Cookies that scripts cannot read and other sites cannot make a browser send."""

from datetime import timedelta

from litestar.datastructures import Cookie

from rensai.config import Config

SESSION = "rensai_session"
FORM = "rensai_form"
"""Gives visitors who have not signed in something for their form tokens to be made from."""


def own_cookie(config: Config, name: str, value: str, lives: timedelta | None = None) -> Cookie:
    """A cookie of ours; without `lives` it ends with the browser."""
    return Cookie(
        key=name,
        value=value,
        path="/",
        max_age=None if lives is None else int(lives.total_seconds()),
        secure=config.base_url.startswith("https:"),
        httponly=True,
        samesite="lax",
    )


def forget_cookie(config: Config, name: str) -> Cookie:
    """The same cookie, gone."""
    return own_cookie(config, name, "", timedelta(0))
