"""What readers have set for themselves."""

from rensai.kit.lookups import Lookups
from rensai.rooms.readers.store import settings as store


async def is_of_age(lookups: Lookups, user_id: int) -> bool:
    """Whether this reader has said that they may see what is for adults."""
    return await lookups.ask(store.of_age, user_id) or False
