"""What readers may hear of the catalogue besides good news."""

from rensai.kit.errors import Forbidden, NotFound


class SeriesNotFound(NotFound):
    """There is no such series here."""

    code = "SERIES_NOT_FOUND"


class ChapterNotFound(NotFound):
    """There is no such chapter here."""

    code = "CHAPTER_NOT_FOUND"


class AgeRestricted(Forbidden):
    """This story is for adults: say first that you are of age."""

    code = "AGE_RESTRICTED"
