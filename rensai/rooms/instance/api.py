"""What this instance tells programs about itself."""

from litestar import get
from litestar.di import NamedDependency
from msgspec import Struct

from rensai import __version__
from rensai.kit.services import Services
from rensai.rooms.instance import service
from rensai.rooms.instance.model import Counts


class Instance(Struct, frozen=True, rename="camel"):
    """This place, its rules and its size."""

    name: str
    description: str
    url: str
    software: str
    version: str
    terms_url: str | None
    contact_email: str | None
    announcement: str
    default_language: str
    allow_nsfw: bool
    allowed_content_types: list[str]
    max_series_per_user: int
    require_email_verification: bool
    registration_open: bool
    federation_enabled: bool
    counts: Counts


@get("/api/v1/instance", tags=["instance"], summary="About this instance")
async def instance(services: NamedDependency[Services]) -> Instance:
    """Its name, rules and size, at most 30 seconds old."""
    said = await service.settings(services.db.replica, services.cache)
    counts = await service.counts(services.db.replica, services.cache)
    return Instance(
        name=said.name,
        description=said.description,
        url=services.config.base_url,
        software="rensai",
        version=__version__,
        terms_url=said.terms_url,
        contact_email=said.contact_email,
        announcement=said.announcement,
        default_language=said.default_language,
        allow_nsfw=said.allow_nsfw,
        allowed_content_types=said.allowed_content_types,
        max_series_per_user=said.max_series_per_user,
        require_email_verification=said.require_email_verification,
        registration_open=services.config.enable_registration,
        federation_enabled=services.config.enable_federation,
        counts=counts,
    )


routes = [instance]
