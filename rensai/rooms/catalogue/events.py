"""News of the catalogue. Each is told once, and only when something has really changed.

Whether the story itself can be read by everybody is for the subscriber to ask: it may have
changed again by then.
"""

from rensai.kit.events import Event


class StoryChanged(Event, frozen=True):
    """A story is new, has other metadata, or has come back after it was deleted."""

    story_id: int


class StoriesCounted(Event, frozen=True):
    """The figures of these stories are about to be written; whoever has some gives them now.

    The stories are held until the transaction ends. See `record_ratings`.
    """

    story_ids: list[int]


class StoryRecounted(Event, frozen=True):
    """A story has other numbers: chapters, words, the last chapter, or how popular it is."""

    story_id: int


class StoryDeleted(Event, frozen=True):
    """A story can no longer be read."""

    story_id: int


class ChapterPublished(Event, frozen=True):
    """A chapter can be read for the first time."""

    story_id: int
    chapter_id: int


class ChapterChanged(Event, frozen=True):
    """A chapter has another text, title, place or visibility, or has come back."""

    story_id: int
    chapter_id: int


class ChapterDeleted(Event, frozen=True):
    """A chapter can no longer be read."""

    story_id: int
    chapter_id: int


class SourcePolicyChanged(Event, frozen=True):
    """Stories of a source were opened to everybody, or closed."""

    source: str


class TaxonomyChanged(Event, frozen=True):
    """A taxonomy, or one of its terms, was made, renamed or removed."""

    taxonomy: str
