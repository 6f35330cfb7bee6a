"""What readers may hear of their shelf besides good news."""

from rensai.kit.errors import NotFound


class BookmarkNotFound(NotFound):
    """That story is not on your shelf."""

    novel_code = "bookmark_not_found"
