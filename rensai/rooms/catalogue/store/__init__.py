"""SQL of the room: one module for each verb."""

from rensai.rooms.catalogue.store.lists import counts, listed

__all__ = ["counts", "listed"]
