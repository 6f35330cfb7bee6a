"""What can go wrong in this room alone."""

from rensai.kit.errors import Conflict, NotFound


class BeingBuilt(Conflict):
    """The search index is being built by somebody else right now."""


class SearchNotFound(NotFound):
    """You keep no such search."""

    code = "SEARCH_NOT_FOUND"


class SearchNameTaken(Conflict):
    """You keep another search of that name."""

    code = "NAME_TAKEN"


class TooManySearches(Conflict):
    """There is no room for more searches."""

    code = "LIMIT_REACHED"
