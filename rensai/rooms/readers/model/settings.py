"""What readers set for themselves: how a page looks, and what it may show."""

from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

FontSize = Annotated[int, Meta(ge=10, le=40)]
FontFamily = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9 _-]{0,39}$")]
"""A name that is safe wherever a page may put it."""
LineHeight = Annotated[float, Meta(ge=1, le=3)]
Language = Annotated[str, Meta(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$", max_length=10)]


class Theme(Enum):
    """The colours of the page."""

    LIGHT = "light"
    DARK = "dark"
    SEPIA = "sepia"
    BLACK = "black"
    AUTO = "auto"


class PageWidth(Enum):
    """How wide the text may run."""

    NARROW = "narrow"
    MEDIUM = "medium"
    WIDE = "wide"
    FULL = "full"


class Warnings(Enum):
    """What becomes of a story that warns of its content: ask before showing it, or show it."""

    ASK = "ask"
    SHOW = "show"


class Settings(Struct, frozen=True):
    """What somebody has set, with the defaults for what he has not."""

    font_size: int
    font_family: str
    line_height: Decimal
    theme: str
    page_width: str
    of_age_since: datetime | None
    show_adult: bool | None
    warnings: str
    language: str | None
    updated_at: datetime


NEVER = datetime.fromtimestamp(0, UTC)
DEFAULTS = Settings(
    font_size=16,
    font_family="default",
    line_height=Decimal("1.8"),
    theme="light",
    page_width="medium",
    of_age_since=None,
    show_adult=None,
    warnings="ask",
    language=None,
    updated_at=NEVER,
)


class SettingsChange(Struct, frozen=True):
    """What is to be different; what is UNSET stays as it is."""

    font_size: int | UnsetType = UNSET
    font_family: str | UnsetType = UNSET
    line_height: float | UnsetType = UNSET
    theme: Theme | UnsetType = UNSET
    page_width: PageWidth | UnsetType = UNSET
    is_adult: bool | UnsetType = UNSET
    show_adult: bool | UnsetType | None = UNSET
    warnings: Warnings | UnsetType = UNSET
    language: str | UnsetType | None = UNSET
