"""News of talk."""

from rensai.kit.events import Event


class ReactionsChanged(Event, frozen=True):
    """A comment has likes or replies that it did not have, or has lost some."""

    comment_id: int
