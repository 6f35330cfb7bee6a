"""What a reader has set, over `/api/v1/users/me/settings`."""

from datetime import datetime

import msgspec
from litestar import Response, get, patch
from litestar.di import NamedDependency
from litestar.params import JSONBody
from msgspec import UNSET, Struct, UnsetType

from rensai.kit.services import Services
from rensai.kit.web.bodies import Body
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.personal import personal
from rensai.rooms.readers.door import require_role
from rensai.rooms.readers.model import Role, User
from rensai.rooms.readers.model.settings import (
    FontFamily,
    FontSize,
    Language,
    LineHeight,
    PageWidth,
    Settings,
    SettingsChange,
    Theme,
    Warnings,
)
from rensai.rooms.readers.service import settings as service


class ReaderSettings(Struct, frozen=True, rename="camel"):
    """How pages look for a reader, and what they may show."""

    font_size: int
    font_family: str
    line_height: float
    theme: Theme
    page_width: PageWidth
    is_adult: bool
    is_adult_since: datetime | None
    show_adult: bool | None
    warnings: Warnings
    language: str | None

    @classmethod
    def of(cls, settings: Settings) -> "ReaderSettings":
        return cls(
            font_size=settings.font_size,
            font_family=settings.font_family,
            line_height=float(settings.line_height),
            theme=Theme(settings.theme),
            page_width=PageWidth(settings.page_width),
            is_adult=settings.of_age_since is not None,
            is_adult_since=settings.of_age_since,
            show_adult=settings.show_adult,
            warnings=Warnings(settings.warnings),
            language=settings.language,
        )


class SettingsPatch(Body, frozen=True):
    """What is to be different; what is left out stays as it is."""

    font_size: FontSize | UnsetType = UNSET
    font_family: FontFamily | UnsetType = UNSET
    line_height: LineHeight | UnsetType = UNSET
    theme: Theme | UnsetType = UNSET
    page_width: PageWidth | UnsetType = UNSET
    is_adult: bool | UnsetType = UNSET
    show_adult: bool | UnsetType | None = UNSET
    warnings: Warnings | UnsetType = UNSET
    language: Language | UnsetType | None = UNSET


@get(
    "/api/v1/users/me/settings",
    tags=["users"],
    summary="My settings",
    security=SIGNED_IN,
    opt={"scope": "account:read"},
)
async def my_settings(
    services: NamedDependency[Services], user: NamedDependency[User | None]
) -> Response[ReaderSettings]:
    """All settings, with the defaults for what was never set."""
    reader = require_role(user, Role.USER)
    return personal(ReaderSettings.of(await service.settings_of(services.db.primary, reader.id)))


@patch(
    "/api/v1/users/me/settings",
    tags=["users"],
    summary="Change my settings",
    security=SIGNED_IN,
    opt={"scope": "account:write"},
)
async def change_my_settings(
    data: JSONBody[SettingsPatch],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
) -> Response[ReaderSettings]:
    """Change some settings and see all of them.

    `isAdult` says that you are of age; when that was said is kept. `showAdult` may be true only
    then; false leaves stories for adults out of every list, null leaves it to this site.
    """
    reader = require_role(user, Role.USER)
    change = SettingsChange(**msgspec.structs.asdict(data))
    async with services.db.transaction() as tx:
        changed = await service.change_settings(tx, reader.id, change, services.clock.now())
    return personal(ReaderSettings.of(changed))


routes = [my_settings, change_my_settings]
