"""What can go wrong with talk."""

from rensai.kit.errors import Conflict, Forbidden, NotFound


class CommentNotFound(NotFound):
    """There is no such comment here."""


class ReportNotFound(NotFound):
    """There is no such report here."""


class EditWindowOver(Forbidden):
    """A comment can be changed for fifteen minutes; this one is older."""

    code = "EDIT_WINDOW_OVER"


class AlreadyResolved(Conflict):
    """Somebody has decided about this report already."""

    code = "ALREADY_RESOLVED"
