"""What readers may hear of the catalogue besides good news."""

from rensai.kit.errors import NotFound


class SeriesNotFound(NotFound):
    """There is no such series here."""

    code = "SERIES_NOT_FOUND"


class ChapterNotFound(NotFound):
    """There is no such chapter here."""

    code = "CHAPTER_NOT_FOUND"
