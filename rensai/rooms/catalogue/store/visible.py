"""What everybody may read: the one definition, for every statement that readers cause."""

STORY = "stories.deleted_at IS NULL AND stories.status IN (1, 2, 3, 4) AND stories.is_public"
CHAPTER = f"chapters.is_published AND chapters.deleted_at IS NULL AND {STORY}"


def story(alias: str) -> str:
    """The same of stories that go by another name in a statement."""
    return f"({STORY.replace('stories.', f'{alias}.')})"
