"""What can be asked of the catalogue: one module for each verb."""

from rensai.rooms.catalogue.service.lists import count_public, list_stories

__all__ = ["count_public", "list_stories"]
