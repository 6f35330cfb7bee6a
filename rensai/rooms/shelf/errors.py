"""What can go wrong on the shelf."""

from rensai.kit.errors import Conflict, NotFound


class BookmarkNotFound(NotFound):
    """That story is not on your shelf."""

    novel_code = "bookmark_not_found"


class RatingNotFound(NotFound):
    """You have not rated this."""

    code = "RATING_NOT_FOUND"


class ListNotFound(NotFound):
    """There is no such reading list here."""

    code = "LIST_NOT_FOUND"


class SlugTaken(Conflict):
    """You have another list at that address."""

    code = "SLUG_TAKEN"


class ShelfFull(Conflict):
    """There is no room for more."""

    code = "LIMIT_REACHED"


class EntryNotFound(NotFound):
    """That is not on this list."""

    code = "ENTRY_NOT_FOUND"
