"""The words of the room."""
