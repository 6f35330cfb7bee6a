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


def is_adult(stories: str = "stories") -> str:
    """The condition under which a story is for adults."""
    return f"({stories}.is_nsfw OR coalesce({stories}.age_rating = 'explicit', false))"


def warnings_of(stories: str = "stories") -> str:
    """The slug and name of each thing that a story warns of."""
    return f"""ARRAY(
                SELECT ARRAY[terms.slug, terms.name]
                FROM story_terms
                JOIN terms ON terms.id = story_terms.term_id
                WHERE story_terms.story_id = {stories}.id AND terms.taxonomy_id = (
                    SELECT taxonomies.id FROM taxonomies WHERE taxonomies.slug = 'warning'
                )
                ORDER BY terms.slug
            )"""
