"""The words of the room."""

from datetime import datetime

import msgspec


class Settings(msgspec.Struct, frozen=True):
    """What the operator says about this instance."""

    name: str
    description: str
    terms_url: str | None
    contact_email: str | None
    default_language: str
    allow_nsfw: bool
    require_email_verification: bool
    max_series_per_user: int
    allowed_content_types: list[str]
    custom_css: str
    announcement: str
    updated_at: datetime


class Counts(msgspec.Struct, frozen=True):
    """How large this place is."""

    users: int
    stories: int
    chapters: int


class Queue(msgspec.Struct, frozen=True):
    """How much the background workers have before them, and what they gave up."""

    waiting: int
    dead: int
