"""What can go wrong in this room alone."""

from rensai.kit.errors import Conflict


class BeingBuilt(Conflict):
    """The search index is being built by somebody else right now."""
