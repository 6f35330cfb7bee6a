"""What stands before the text and the pages of stories for adults: `AGE_GATE`."""

from rensai.kit.lookups import Lookups
from rensai.rooms.catalogue.errors import AgeRestricted
from rensai.rooms.readers import door as readers

OFF = "off"
REQUIRE = "require"


async def require_of_age(
    lookups: Lookups, gate: str, *, is_adult: bool, reader: int | None, has_said_so: bool = False
) -> bool:
    """Whether the answer is for this reader alone; raises unless he may have it.

    Who may is who has said to be of age: in the account, or for the browser.
    """
    if gate != REQUIRE or not is_adult:
        return False
    if has_said_so or (reader is not None and await readers.is_of_age(lookups, reader)):
        return True
    raise AgeRestricted(details={"reason": "age_restricted", "form": "/age"})


def warns(gate: str) -> bool:
    """Whether stories for adults come with a warning."""
    return gate != OFF
