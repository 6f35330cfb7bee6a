"""How other rooms name the stories and chapters that their own rows are about."""

from decimal import Decimal
from uuid import UUID

import msgspec

from rensai.rooms.catalogue.model import public_slug


class StoryMention(msgspec.Struct, frozen=True):
    """The name of a story, whoever may read it; `is_visible` says whether everybody may."""

    id: int
    uid: UUID
    source: str
    slug: str
    title: str
    is_visible: bool

    @property
    def public_slug(self) -> str:
        """How `/api/v1` and addresses name it."""
        return public_slug(self.source, self.slug)


class ChapterMention(msgspec.Struct, frozen=True):
    """The name of a chapter, whoever may read it; `is_visible` says whether everybody may."""

    id: int
    uid: UUID
    story_id: int
    number: Decimal
    language: str
    slug: str
    title: str
    is_visible: bool
