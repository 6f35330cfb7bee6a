"""How pages look for a reader, over `/wp-json/novel/v1/me/settings`."""

import msgspec
from litestar import Response, get, put
from litestar.di import NamedDependency
from litestar.params import JSONBody
from litestar.types import ControllerRouterHandler
from msgspec import UNSET, Struct, UnsetType

from rensai.kit.services import Services
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.personal import personal
from rensai.rooms.readers.door import require_role
from rensai.rooms.readers.model import Role, User
from rensai.rooms.readers.model.settings import (
    FontFamily,
    FontSize,
    LineHeight,
    PageWidth,
    Settings,
    SettingsChange,
    Theme,
)
from rensai.rooms.readers.service import settings as service


class ReadingSettings(Struct, frozen=True):
    """How pages look for a reader."""

    font_size: int
    font_family: str
    line_height: float
    theme: Theme
    page_width: PageWidth

    @classmethod
    def of(cls, settings: Settings) -> "ReadingSettings":
        return cls(
            font_size=settings.font_size,
            font_family=settings.font_family,
            line_height=float(settings.line_height),
            theme=Theme(settings.theme),
            page_width=PageWidth(settings.page_width),
        )


class ReadingSettingsChange(Struct, frozen=True, forbid_unknown_fields=True):
    """Any of the settings; what is left out stays as it is."""

    font_size: FontSize | UnsetType = UNSET
    font_family: FontFamily | UnsetType = UNSET
    line_height: LineHeight | UnsetType = UNSET
    theme: Theme | UnsetType = UNSET
    page_width: PageWidth | UnsetType = UNSET


@get(
    "/wp-json/novel/v1/me/settings",
    tags=["novel: account"],
    summary="My reading settings",
    security=SIGNED_IN,
    opt={"scope": "account:read"},
)
async def reading_settings(
    services: NamedDependency[Services], user: NamedDependency[User | None]
) -> Response[ReadingSettings]:
    """All settings, with the defaults for what was never set."""
    reader = require_role(user, Role.USER)
    found = await service.settings_of(services.db.primary, reader.id)
    return personal(ReadingSettings.of(found))


@put(
    "/wp-json/novel/v1/me/settings",
    tags=["novel: account"],
    summary="Change my reading settings",
    security=SIGNED_IN,
    opt={"scope": "account:write"},
)
async def change_reading_settings(
    data: JSONBody[ReadingSettingsChange],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
) -> Response[ReadingSettings]:
    """Change any of the settings and see all of them."""
    reader = require_role(user, Role.USER)
    change = SettingsChange(**msgspec.structs.asdict(data))
    async with services.db.transaction() as tx:
        changed = await service.change_settings(tx, reader.id, change, services.clock.now())
    return personal(ReadingSettings.of(changed))


routes: list[ControllerRouterHandler] = [reading_settings, change_reading_settings]
