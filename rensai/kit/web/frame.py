"""What surrounds every page: whose site this is and who is looking at it.

`wiring` makes one for each page and hands it to handlers as the dependency `frame`; templates
find it under that name. Pages that stand in for a failure may come without it.
"""

from msgspec import Struct


class Viewer(Struct, frozen=True):
    """Who has signed in, as the account menu shows them."""

    name: str
    is_admin: bool


class Frame(Struct, frozen=True):
    """The surroundings of one page."""

    site_name: str
    description: str
    announcement: str
    language: str
    viewer: Viewer | None
    form_token: str
    """What the forms of this page carry, so that no other site can send them."""
