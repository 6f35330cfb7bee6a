"""Who can be read, said once for every statement."""


def visible(stories: str = "stories") -> str:
    """The condition under which everybody may read a story of the table of that name.

    Not deleted, no draft, and of a source that is open.
    """
    return (
        f"({stories}.deleted_at IS NULL AND {stories}.status IN (1, 2, 3, 4)"
        f" AND {stories}.is_public)"
    )


def visible_chapter() -> str:
    """The same for a chapter, where `chapters` and its `stories` are joined."""
    return f"(chapters.is_published AND chapters.deleted_at IS NULL AND {visible()})"
