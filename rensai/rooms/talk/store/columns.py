"""The columns of a row, in the order of its Struct."""

_KEYS = "id, uid, story_id, chapter_id, parent_id"
_REST = """user_id, content, likes_count, reply_count, is_pinned, is_hidden, is_local, actor_uri,
    author_display_name, author_avatar_url, created_at, updated_at, edited_at, deleted_at"""

COMMENT_OF_THREAD = f"{_KEYS}, NULL::uuid AS parent_uid, false AS parent_is_hidden, {_REST}"
"""A `Comment` that answers none."""


def comment(table: str = "comments") -> str:
    """The columns of a `Comment` in `table`, which `with_parents` has joined."""
    parent = "parents.uid AS parent_uid, coalesce(parents.is_hidden, false) AS parent_is_hidden"
    return f"{_of(table, _KEYS)}, {parent}, {_of(table, _REST)}"


def with_parents(table: str = "comments") -> str:
    """Joins the comment that each one answers, if it answers one."""
    return f"LEFT JOIN comments AS parents ON parents.id = {table}.parent_id"


def _of(table: str, names: str) -> str:
    return ", ".join(f"{table}.{name.strip()}" for name in names.split(","))


REPORT = """reports.id, reports.uid, reports.reporter_user_id, reports.target_type,
    reports.target_id, reports.reason, reports.notes, reports.quoted, reports.status,
    reports.resolution, reports.resolved_by, reports.resolved_at, reports.created_at"""
